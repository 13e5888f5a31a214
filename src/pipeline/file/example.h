#pragma once

#include <string_view>

namespace kml::pipeline {

/// The text of examples/pipeline.yaml, which shows the fields of a pipeline file.
/// src/pipeline/file/embed.cmake generates the definition.
std::string_view example();

}  // namespace kml::pipeline
