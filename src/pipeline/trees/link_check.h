#pragma once

#include <filesystem>

#include "kml/base/tree_names.h"

namespace kml::pipeline {

/// Throws Error if the tree itself is a link, or if a link in it is absolute, leads out of it or is part of a
/// cycle, because the tree would then not be the same elsewhere. Links to missing files are allowed.
void check_links(const std::filesystem::path& root, const TreeLinks& links);

}  // namespace kml::pipeline
