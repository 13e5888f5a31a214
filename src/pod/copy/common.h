#pragma once

#include <cstdint>
#include <string>

#include "kml/base/error.h"
#include "pod/copy/content_sum.h"

namespace kml::pod {

/// Files of at most this size are sent together in one stream.
inline constexpr std::uintmax_t kSmallFile = std::uintmax_t{1} << 20;
/// An interrupted copy of a large file continues at a multiple of this, which is the block size for dd.
inline constexpr std::uintmax_t kCopyBlock = 65536;
/// After so many copies with a different checksum, kml gives up.
inline constexpr int kMostMismatches = 3;

/// The last name in a path: "b" for "a/b/"; empty for "/", "." and "..".
inline std::string base_name(std::string path) {
  while (path.ends_with('/')) path.pop_back();
  std::string name = path.substr(path.rfind('/') + 1);
  return name == "." || name == ".." ? std::string() : name;
}

/// Joins two parts of a path: "a" and "b" become "a/b". Either part may be empty.
inline std::string joined_path(const std::string& folder, const std::string& name) {
  return folder.empty() || name.empty() ? folder + name : folder + "/" + name;
}

/// The Error for a file whose checksum was different after each attempt.
inline Error never_the_same(const std::string& path, SumTool tool) {
  return Error(ErrorCode::failure, "the copy of " + path + " is not equal to the file",
               name_of(tool) + " differs on the two sides: the file changes while it is copied",
               "copy it when nothing writes to it");
}

}  // namespace kml::pod
