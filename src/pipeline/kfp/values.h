#pragma once

#include <string>
#include <string_view>

#include "kml/core/json.h"

namespace kml::pipeline::kfp {

/// A value as a parameter of the type ("NUMBER_INTEGER") has it. In the compiled file all numbers are
/// doubles, as protobuf's Struct has them: a whole number, also in lists and maps, becomes an integer again.
/// One that does not fit the type stays as it is.
Json typed(Json value, std::string_view type);

/// The value that a program wrote to a parameter's file, as the type has it. Throws Error (job_failed).
Json parsed_as(std::string_view text, std::string_view type);

/// JSON as Python writes it: NaN, Infinity and -Infinity become null. Throws Error.
Json parse_python_json(std::string_view text, std::string_view source);

}  // namespace kml::pipeline::kfp
