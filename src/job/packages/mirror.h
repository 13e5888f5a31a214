#pragma once

#include <filesystem>

#include "job/packages/requested.h"

namespace kml::packages {

/// Copies into the folder what uv reads to check and export the request's lock: under their own paths, so
/// that the relative paths in the lock stay right. Without anything that uv could run. Returns the copy of
/// the project's folder, or that of the script.
std::filesystem::path mirror_of_lock(const Requested& requested, const std::filesystem::path& folder);

}  // namespace kml::packages
