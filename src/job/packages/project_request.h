#pragma once

#include "job/packages/requested.h"

namespace kml::packages {

/// The largest script or pyproject.toml that kml reads.
inline constexpr size_t kLargestRequest = size_t{64} << 20;

/// The table's requires-python. Throws usage Error if it is not a version specifier.
std::string required_python(const Json& table, const std::string& shown, const std::string& toml);

/// Reads the request in a script's header, and its lock. Returns false if the script has no header.
bool take_script(Requested& requested, const std::string& script, const std::filesystem::path& folder);

/// Reads the request in a pyproject.toml, for the extras and groups of `requested`, and its lock. Returns
/// false if the file does not exist.
bool take_project(Requested& requested, const std::filesystem::path& file, const std::string& shown);

}  // namespace kml::packages
