#pragma once

#include <optional>

#include "kml/core/json.h"
#include "local/shim/append_file.h"
#include "local/shim/pod_folder.h"

namespace kml::local {

/// What a pod's shim says of it, a line each time; the last whole line holds. Lines are added and the file is
/// not replaced: an ext4 without a journal looks at each file that was deleted in the last minutes before it
/// makes a new one (recently_deleted() of fs/ext4/ialloc.c), which took a third of a short pod's processor
/// time.
/// One that grew long is replaced by its last line, and the next line added to that: whoever watches the
/// folder sees this one.
class StatusFile {
 public:
  explicit StatusFile(const PodFolder& folder) : path_(folder.status()) {}

  /// False where the disk is full: then the status before holds.
  bool write(const Json& status);

 private:
  void shorten();

  std::filesystem::path path_;
  std::string last_;  ///< line that was added
  AppendFile file_;
};

/// Empty where there is none yet, and where a power failure has damaged it: then the shim is gone, too, and
/// the pod counts as lost.
std::optional<Json> read_status(const PodFolder& folder);
bool has_broken_status(const PodFolder& folder);

}  // namespace kml::local
