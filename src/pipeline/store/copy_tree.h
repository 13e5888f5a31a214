#pragma once

#include <filesystem>
#include <string>

namespace kml::pipeline {

/// Copies a file or folder of the store to `to`, makes the copy writable, and checks its digest. Readers see
/// the whole copy or nothing. Replaces an existing `to` if `replaces` is set; otherwise an existing one is a
/// usage Error. Throws Error, and leaves no copy, if the source is missing or changed, or if the disk is
/// full.
void copy_tree(const std::filesystem::path& from, const std::string& digest, const std::filesystem::path& to,
               bool replaces);

}  // namespace kml::pipeline
