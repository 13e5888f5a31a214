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
  std::string target = {};  ///< of a link
  bool is_empty = true;     ///< of a folder
};

/// All of a tree, sorted by path. Links are not followed. Throws Error if nothing is there or a folder cannot
/// be read, for a link that leads out of the tree, and for a socket, device or named pipe.
std::vector<TreeEntry> entries_of(const std::filesystem::path& root);

/// Where an entry is on disk.
std::filesystem::path place_of(const std::filesystem::path& root, const std::string& path);

/// A name as JSON text. A byte that is not UTF-8 becomes \udcXX, as Python's surrogateescape has it: no other
/// name gives that text.
std::string quoted_name(std::string_view name);

}  // namespace kml::pipeline
