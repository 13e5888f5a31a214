#pragma once

#include <filesystem>
#include <span>

#include "pipeline/trees/tree_entries.h"

namespace kml::pipeline {

/// Removes the write bits of files and folders. Does not change links. A file that also has a name outside of
/// the tree is replaced by a copy first, because a mode belongs to all names of a file.
void make_read_only(const std::filesystem::path& root, std::span<const TreeEntry> entries);

/// Removes a tree, read-only or not. Links are removed, not followed. Does nothing if the tree does not
/// exist.
void remove_tree(const std::filesystem::path& root);

}  // namespace kml::pipeline
