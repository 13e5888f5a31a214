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
  /// The name that a path, which has no links, has in the folder, which is "."; empty if it is not in it.
  std::string name_of(const std::string& path) const;

 private:
  std::string folder_;    ///< its path
  std::string in_files_;  ///< the folder's path in its file system
  /// Other mounts of this file system: the path, and what is mounted there, as a path in the file system.
  std::vector<std::pair<std::string, std::string>> others_;
};

}  // namespace kml::step
