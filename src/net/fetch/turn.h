#pragma once

#include <filesystem>

#include "kml/base/files.h"
#include "kml/net/fetch/fetch.h"

namespace kml::fetch {

/// The right to fetch into a folder. Others that want it wait. It ends with the process.
class Turn {
 public:
  /// Waits for it. `what` is the data, for the note that is written while it waits.
  Turn(const std::filesystem::path& folder, const std::string& what, const Means& means);

  /// The folder in which the data is collected. An earlier attempt, which was killed, may have left files in
  /// it. Where the file system has no locks, or another user has begun to fetch, each machine has its own.
  /// Throws Error if it cannot be created.
  std::filesystem::path part() const;

 private:
  const std::filesystem::path folder_;
  Fd lock_;
  bool is_locked_ = false;
};

}  // namespace kml::fetch
