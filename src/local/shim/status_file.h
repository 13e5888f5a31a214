#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "kml/core/files.h"
#include "kml/core/json.h"
#include "local/shim/pod_folder.h"

namespace kml::local {

/// A file to which texts are appended completely, or not at all if the disk is full.
class AppendFile {
 public:
  AppendFile() = default;
  /// Creates the file if it does not exist. If that fails, nothing can be appended.
  explicit AppendFile(const std::filesystem::path& path);

  explicit operator bool() const { return static_cast<bool>(fd_); }
  uint64_t size() const { return size_; }
  /// Does not sync to disk, because the pods do not survive a crash of the machine either.
  bool append(std::string_view text);
  void clear();

 private:
  void cut_to(uint64_t size);

  Fd fd_;
  uint64_t size_ = 0;
};

/// What a pod's shim says of it, a line each time; the last whole line holds. Lines are added and the file is
/// not replaced: an ext4 without a journal looks at each file that was deleted in the last minutes before it
/// makes a new one (recently_deleted() of fs/ext4/ialloc.c), which took a third of a short pod's processor
/// time.
/// One that grew long is replaced by its last line, and the next line added to that: whoever watches the
/// folder sees this one.
class StatusFile {
 public:
  explicit StatusFile(const PodFolder& folder) : path_(folder.status()) {}

  /// False if the disk is full: then the status before holds.
  bool write(const Json& status);

 private:
  void shorten();

  std::filesystem::path path_;
  std::string last_;  ///< line that was added
  AppendFile file_;
};

// What a container's status there has beside those of v1.ContainerStatus.

inline constexpr const char* kKeeper = "keeper";        ///< pid of a running one's first process, see Keeper
inline constexpr const char* kUsed = "used";            ///< by the runs that have ended: api::ContainerUsage
inline constexpr const char* kUnhealthy = "unhealthy";  ///< which probe failed last, and why

/// Empty if there is none yet, and where a power failure has damaged it: then the shim is gone, too, and
/// the pod counts as lost.
std::optional<Json> read_status(const PodFolder& folder);
bool has_broken_status(const PodFolder& folder);

}  // namespace kml::local
