#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kml::step {

/// The paths at which a folder can be seen, because file systems can be mounted at several places.
class Mounts {
 public:
  /// Reads the mounts of this process. Returns false if they cannot be read.
  bool find(const std::string& folder);
  /// The path relative to the folder; "." for the folder itself, and empty for a path that is not in the
  /// folder. `path` must not contain links.
  std::string name_of(const std::string& path) const;

 private:
  std::string folder_;    ///< its path
  std::string in_files_;  ///< the folder's path in its file system
  /// The other places at which this file system is mounted. Each has the path of the place, and the path in
  /// the file system that is mounted there.
  std::vector<std::pair<std::string, std::string>> others_;
};

}  // namespace kml::step
