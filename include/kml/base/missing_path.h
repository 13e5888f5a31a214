#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "kml/base/error.h"

namespace kml {

/// A fix for a file or folder that does not exist: the most similar name in its folder, or the first folder
/// in the path that is missing, or a symbolic link that leads nowhere.
std::string fix_for_missing(const std::filesystem::path& path);

/// Why nothing can be read at a path, and how to fix that.
struct PathFault {
  std::string why, fix;
};
/// Empty if something exists at the path. Otherwise, it does not exist, or kml cannot know, for example as
/// the user may not enter one of its folders.
std::optional<PathFault> fault_of_path(const std::filesystem::path& path);

/// A usage Error for a path that should be a regular file. `typed` is what the user typed for it.
Error not_a_file(const std::filesystem::path& path, const std::string& typed);

/// A usage Error for a path that should be a folder. `typed` is what the user typed for it; empty means the
/// path itself.
Error not_a_folder(const std::filesystem::path& path, std::string typed = {});

}  // namespace kml
