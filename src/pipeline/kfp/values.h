#pragma once

#include <string>
#include <string_view>

#include "kml/core/json.h"

namespace kml::pipeline::kfp {

/// Converts a value to a parameter's type ("NUMBER_INTEGER"). All numbers in the compiled file are doubles,
/// as in protobuf's Struct, so whole numbers become integers again, in lists and maps too. A value that does
/// not fit the type stays as it is.
Json typed(Json value, std::string_view type);

/// Parses the value that a program wrote to a parameter's file, as the given type. Throws Error (job_failed).
Json parsed_as(std::string_view text, std::string_view type);

/// Parses JSON as written by Python; NaN, Infinity and -Infinity become null. Throws Error.
Json parse_python_json(std::string_view text, std::string_view source);

}  // namespace kml::pipeline::kfp
