#pragma once

#include <string>
#include <string_view>

#include "kml/base/json.h"

namespace kml::pipeline::kfp {

/// Converts a value to a parameter's type ("NUMBER_INTEGER"). All numbers in the compiled file are doubles,
/// as in protobuf's Struct, so whole numbers become integers again, in lists and maps too. A value that does
/// not fit the type stays as it is.
Json typed(Json value, std::string_view type);

/// Whether the value, once typed(), has the type.
bool fits(const Json& value, std::string_view type);

/// Linux's limit on an argument of a command, and so on a task's parameters.
constexpr size_t kMostArgumentBytes = (size_t{128} << 10) - 1;

/// The text that a program wrote to a parameter's file, before output_value(). Throws Error.
Json from_file(std::string_view text, std::string_view type);

/// A value that a program made for a parameter of the given type. Throws Error (job_failed), whose message
/// continues "output x", if it does not fit the type, cannot be passed on as JSON, or is too long.
Json output_value(Json made, std::string_view type);

/// Parses JSON as written by Python, with NaN, Infinity and -Infinity. Throws Error.
Json parse_python_json(std::string_view text, std::string_view source);

}  // namespace kml::pipeline::kfp
