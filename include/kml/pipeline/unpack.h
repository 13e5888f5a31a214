#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "kml/core/tar.h"

namespace kml::pipeline {

/// Writes the entries that have this name, or begin with it and a "/", at `path`, where nothing is. Nothing
/// is written elsewhere, whatever the names are: throws Error for one with "..", one that is there twice, and
/// one below a link.
void unpack(std::span<const TarEntry> entries, const std::string& name, const std::filesystem::path& path);

}  // namespace kml::pipeline
