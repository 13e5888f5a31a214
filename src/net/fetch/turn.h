#pragma once

#include <filesystem>

#include "kml/base/files.h"
#include "kml/net/fetch/fetch.h"

namespace kml::fetch {

/// The right to fetch into a folder. Other processes that need this right wait for it. The right ends with
/// this object, and when the process is killed.
class Turn {
 public:
  /// Waits for the right. `what` is the name of the data for a note during the wait.
  Turn(const std::filesystem::path& folder, const std::string& what, const Means& means);

  /// The folder in which the data is collected. An earlier attempt, which was killed, may have left files in
  /// it. If the file system does not support locks, or another user has begun to fetch, each machine has a
  /// separate folder. Throws Error if the folder cannot be created.
  std::filesystem::path part() const;

 private:
  const std::filesystem::path folder_;
  Fd lock_;
  bool is_locked_ = false;
};

}  // namespace kml::fetch
