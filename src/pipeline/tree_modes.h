#pragma once

#include <filesystem>
#include <span>

#include "pipeline/tree_entries.h"

namespace kml::pipeline {

/// Takes the write bits from files and folders. Of links nothing is changed.
void make_read_only(const std::filesystem::path& root, std::span<const TreeEntry> entries);

/// Removes a tree, read-only or not; links are removed and not followed. Nothing if nothing is there.
void remove_tree(const std::filesystem::path& root);

}  // namespace kml::pipeline
