#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "kml/core/tar.h"

namespace kml::pipeline {

/// Extracts the entry with this name, and the entries below it, to `path`, which must not exist. Writes
/// nothing elsewhere, whatever the names contain: throws Error for a name with "..", for a name that occurs
/// twice, and for an entry below a link.
void unpack(std::span<const TarEntry> entries, const std::string& name, const std::filesystem::path& path);

}  // namespace kml::pipeline
