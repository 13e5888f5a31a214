#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kml::pipeline {

/// A file, folder or link of a tree on disk.
struct TreeEntry {
  std::string path;  ///< the path in the tree; "." for the root
  struct stat at = {};
  std::string target = {};  ///< for a link: its target
  bool is_empty = true;     ///< for a folder: whether it is empty
};

/// All entries of a tree, first the root, then the others sorted by path. Does not follow links. Throws Error
/// if the tree does not exist, or has an unreadable folder, a link that check_links() rejects, a socket, a
/// device or a named pipe.
std::vector<TreeEntry> entries_of(const std::filesystem::path& root);

/// The path on disk of an entry of a tree.
std::filesystem::path place_of(const std::filesystem::path& root, const std::string& path);

/// A name as JSON text. A byte that is not UTF-8 becomes \udcXX, as in Python's surrogateescape, so that
/// different names give different texts.
std::string quoted_name(std::string_view name);

}  // namespace kml::pipeline
