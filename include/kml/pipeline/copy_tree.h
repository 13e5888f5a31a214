#pragma once

#include <filesystem>
#include <string>

namespace kml::pipeline {

/// Copies a file or folder of the store to `to`, writable, and checks that the copy is what `digest` names: a
/// reader sees all of it there, or nothing. What is at `to` is replaced if `replaces`, else it is a usage
/// Error. Throws Error if the source is gone or was changed, or the disk is full; nothing is left then.
void copy_tree(const std::filesystem::path& from, const std::string& digest, const std::filesystem::path& to,
               bool replaces);

}  // namespace kml::pipeline
