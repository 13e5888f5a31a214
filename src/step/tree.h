#pragma once

#include <sys/stat.h>

#include <string>
#include <vector>

namespace kml::step {

/// A file, folder or link of a tree on disk. Twin of pipeline::TreeEntry, as kml-step has neither its
/// exceptions nor its JSON; a test compares what both make of the same trees.
struct Entry {
  std::string path;  ///< within the tree; "." is its root
  struct stat at {};
  std::string target = {};  ///< of a link
  bool is_empty = true;     ///< of a folder
};

struct Summary {
  std::string digest;  ///< SHA-256 of its manifest, as pipeline::Tree has it
  unsigned long long bytes = 0, files = 0;
};

/// All of a tree, sorted by path. Gives up if nothing is there or it cannot be read, and for what is neither
/// file, folder nor link.
std::vector<Entry> entries_of(const std::string& root);

std::string place_of(const std::string& root, const std::string& path);

/// Reads all files.
Summary summary_of(const std::string& root, const std::vector<Entry>& entries);

/// Takes the write bits from files and folders, and writes all to its disk.
void freeze(const std::string& root, const std::vector<Entry>& entries);

/// Removes a tree, read-only or not; links are removed and not followed. Nothing if nothing is there.
void remove_tree(const std::string& path);

/// Makes a folder, and those above it.
void make_folders(const std::string& path);
std::string folder_of(const std::string& path);

}  // namespace kml::step
