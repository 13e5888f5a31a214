#pragma once

#include <filesystem>

#include "kml/base/tree_names.h"

namespace kml::pipeline {

/// Throws Error if a link in the tree is absolute or leads out of the tree, because the tree would then not
/// be the same elsewhere. Links to missing files are allowed.
void check_links(const std::filesystem::path& root, const TreeLinks& links);

}  // namespace kml::pipeline
