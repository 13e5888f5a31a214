#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace kml::pipeline {

/// The links of a tree: the target of each path.
using TreeLinks = std::map<std::string, std::string>;

/// Throws Error if a link of the tree leads out of it or is absolute, because the tree would then not be the
/// same elsewhere. Links to missing files are allowed.
void check_links(const std::filesystem::path& root, const TreeLinks& links);

}  // namespace kml::pipeline
