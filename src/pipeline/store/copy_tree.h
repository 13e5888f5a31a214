#pragma once

#include <filesystem>
#include <string>

#include "kml/base/error.h"

namespace kml::pipeline {

/// Copies a file or folder from the store to `to`, makes the copy writable, and checks its digest. Readers
/// see either the complete copy or none. If `to` exists, replaces it if `replaces` is set, otherwise throws
/// usage Error. If the source is missing or has changed, the folder of `to` does not exist, or the disk is
/// full, throws Error and leaves no copy.
void copy_tree(const std::filesystem::path& from, const std::string& digest, const std::filesystem::path& to,
               bool replaces);

/// The error for an artifact whose digest has changed.
Error changed_after_made(const std::filesystem::path& artifact);

}  // namespace kml::pipeline
