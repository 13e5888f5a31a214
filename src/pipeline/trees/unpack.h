#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "kml/base/tar.h"
#include "pipeline/trees/tree_writer.h"

namespace kml::pipeline {

/// Extracts the entry with this name, and all entries below it, to `path`. Uses a TreeWriter.
void unpack(std::span<const TarEntry> entries, const std::string& name, const std::filesystem::path& path,
            Links links);

}  // namespace kml::pipeline
