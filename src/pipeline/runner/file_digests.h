#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace kml::pipeline {

/// The digests of files. A file is only read again once it has changed.
class FileDigests {
 public:
  /// The digest of a file. Follows links. Returns "unreadable" if this user may not read the file, because
  /// steps cannot read it, either. Throws Error if the file cannot be read for another reason.
  std::string of(const std::filesystem::path& file);

 private:
  struct Known {
    std::string stamp;  ///< empty if the file might change without a new stamp
    std::string digest;
  };
  std::map<std::string, Known> known_;
};

/// The stamp of what is at the path (see stamp_of()); empty if nothing is there, or if it might change again
/// without a new stamp.
std::string settled_stamp(const std::filesystem::path& path);

}  // namespace kml::pipeline
