#pragma once

#include <string>

#include "kml/base/json.h"

namespace kml::sweep {

/// Replaces the path of a file or folder by another text wherever it stands alone in the strings of a
/// manifest: "/out" in "--dir=/out" and "--dir=/out/", but not in "/out/a" or "/src/out". Returns whether it
/// does. `path` must not end with a slash.
bool replace_path(Json& manifest, const std::string& path, const std::string& by);

}  // namespace kml::sweep
