#pragma once

#include <filesystem>
#include <string>

#include "kml/net/fetch/fetch.h"
#include "kml/net/fetch/source.h"

namespace kml::fetch {

/// The digest of the list of a bucket's objects. Throws Error if there are no objects.
std::string version_of_bucket(const Source& source, const Means& means);

/// Copies the objects into the folder. Throws Error if the bucket no longer has the source's version.
void fetch_bucket(const Source& source, const std::filesystem::path& folder, const Means& means);

}  // namespace kml::fetch
