#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kml::pipeline {

/// A file, folder or link of a tree on disk.
struct TreeEntry {
  std::string path;  ///< within the tree; "." is its root
  struct stat at = {};
  std::string target = {};  ///< if it is a link
  bool is_empty = true;     ///< if it is a folder
};

/// All entries of a tree, sorted by path. Does not follow links. Throws Error if the tree does not exist or
/// has an unreadable folder, a link that leads out of it, a socket, a device or a named pipe.
std::vector<TreeEntry> entries_of(const std::filesystem::path& root);

/// The path of an entry on disk.
std::filesystem::path place_of(const std::filesystem::path& root, const std::string& path);

/// A name as JSON text. A byte that is not UTF-8 becomes \udcXX, as with Python's surrogateescape, so
/// different names give different texts.
std::string quoted_name(std::string_view name);

}  // namespace kml::pipeline
