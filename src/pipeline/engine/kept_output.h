#pragma once

#include <filesystem>

#include "kml/pipeline/language/pipeline.h"
#include "kml/pipeline/store/store.h"

namespace kml::pipeline {

/// Like LocalStore::keep(), but the error "cannot keep PATH" names the output instead, because users do not
/// know the path in the store.
Tree kept_output(const Output& output, const std::filesystem::path& path, const LocalStore& store);

}  // namespace kml::pipeline
