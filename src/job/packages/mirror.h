#pragma once

#include <filesystem>

#include "job/packages/requested.h"

namespace kml::packages {

/// Copies into the folder the files that uv reads to check and export the request's lock. They keep their
/// paths, so that the relative paths in the lock stay valid. Leaves out everything that uv could run. Returns
/// the path of the copy of the project's folder or of the script.
std::filesystem::path mirror_of_lock(const Requested& requested, const std::filesystem::path& folder);

}  // namespace kml::packages
