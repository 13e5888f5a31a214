#pragma once

#include <string_view>

namespace kml::sweep {

/// The text of examples/sweep.yaml, which uses most fields of a sweep file. src/pipeline/file/embed.cmake
/// generates the definition.
std::string_view example();

}  // namespace kml::sweep
