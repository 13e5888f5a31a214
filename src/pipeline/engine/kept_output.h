#pragma once

#include <filesystem>

#include "kml/pipeline/language/pipeline.h"
#include "kml/pipeline/store/store.h"

namespace kml::pipeline {

/// LocalStore::keep(), with errors that name the output: its command does not know the place in the store.
Tree kept_output(const Output& output, const std::filesystem::path& path, const LocalStore& store);

}  // namespace kml::pipeline
