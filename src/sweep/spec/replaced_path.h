#pragma once

#include <string>

#include "kml/base/json.h"

namespace kml::sweep {

/// Replaces the path of a file or folder by another text in the strings of a manifest, but only where it is a
/// complete path: "/out" in "--dir=/out" and in "--dir=/out/", but not in "/out/a" or "/src/out". Returns
/// whether any was replaced. `path` must not end with a slash.
bool replace_path(Json& manifest, const std::string& path, const std::string& by);

}  // namespace kml::sweep
