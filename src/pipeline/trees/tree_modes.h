#pragma once

#include <filesystem>
#include <span>

#include "pipeline/trees/tree_entries.h"

namespace kml::pipeline {

/// Makes files and folders read-only. Does not change links. If a file has another name outside the tree, it
/// is first replaced by a copy, because all names of a file share one mode.
void make_read_only(const std::filesystem::path& root, std::span<const TreeEntry> entries);

/// Removes a tree, even if it is read-only. Removes links without following them. Does nothing if the tree
/// does not exist.
void remove_tree(const std::filesystem::path& root);

}  // namespace kml::pipeline
