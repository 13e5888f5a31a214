#pragma once

#include <filesystem>
#include <span>

#include "pipeline/tree_entries.h"

namespace kml::pipeline {

/// Throws Error if a link of the tree leads out of it or is absolute, because the tree would then not be the
/// same elsewhere. Links to missing files are allowed.
void check_links(const std::filesystem::path& root, std::span<const TreeEntry> entries);

}  // namespace kml::pipeline
