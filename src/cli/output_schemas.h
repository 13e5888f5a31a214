#pragma once

#include <span>
#include <string_view>

namespace kml::cli {

/// The JSON Schema of what a command prints with -o json: a file in docs/schemas.
struct OutputSchema {
  std::string_view name;  ///< the words of the command, joined by "-": "top-nodes"
  std::string_view text;
};

/// All output schemas, in the order of their names.
std::span<const OutputSchema> output_schemas();

}  // namespace kml::cli
