#pragma once

#include <span>

#include "kml/pipeline/store/store.h"
#include "pipeline/trees/tree_entries.h"

namespace kml::pipeline {

/// The manifest of entries that entries_of() has just found. Throws Error if a file cannot be read, or has
/// changed in the meantime.
Manifest manifest_of(const std::filesystem::path& root, std::span<const TreeEntry> entries);

/// The digest of a tree that consists only of this file, if the file had this content. For a folder, returns
/// its actual digest.
std::string digest_of_content(const std::filesystem::path& file, std::string_view content);

}  // namespace kml::pipeline
