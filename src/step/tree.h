#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>
#include <vector>

namespace kml::step {

/// A file, folder or link in a tree on disk. Corresponds to pipeline::TreeEntry. The code is not shared,
/// because kml-step has neither exceptions nor JSON. A test compares the results of both for the same trees.
struct Entry {
  std::string path;  ///< relative to the root of the tree, which is "."
  struct stat at {};
  std::string target = {};  ///< the target of a link; empty for other entries
  bool is_empty = true;     ///< for a folder: whether it is empty
};

struct Summary {
  std::string manifest;  ///< as in pipeline::Tree
  std::string digest;    ///< the SHA-256 of the manifest
  unsigned long long bytes = 0, files = 0;
};

/// All entries of a tree, sorted by path. Exits with a message if the path does not exist, something cannot
/// be read, or an entry is not a file, folder or link.
std::vector<Entry> entries_of(const std::string& root);

std::string place_of(const std::string& root, const std::string& path);

/// Returns the same text as pipeline::quoted_name().
std::string quoted_name(std::string_view name);

/// Computes the digest, for which all files are read.
Summary summary_of(const std::string& root, const std::vector<Entry>& entries);

/// Makes files and folders read-only, except files that also have a name outside the tree, and syncs them to
/// disk.
void freeze(const std::string& root, const std::vector<Entry>& entries);

/// Removes a tree, even if it is read-only. Removes links without following them. Does nothing if the path
/// does not exist.
void remove_tree(const std::string& path);

/// Creates a folder and its missing parents.
void make_folders(const std::string& path);
std::string folder_of(const std::string& path);

}  // namespace kml::step
