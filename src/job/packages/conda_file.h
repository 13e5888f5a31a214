#pragma once

#include <string>

#include "job/packages/requested.h"

namespace kml::packages {

/// The packages of an environment.yml: `channels`, and `dependencies` with its list for pip. Throws usage
/// Error with the position of what is invalid, or of a setting that kml cannot obey. `shown` is the file's
/// name in messages.
Requested read_conda_file(const std::filesystem::path& file, const std::string& shown);

}  // namespace kml::packages
