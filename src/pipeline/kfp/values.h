#pragma once

#include <string>
#include <string_view>

#include "kml/base/json.h"

namespace kml::pipeline::kfp {

/// Converts a value to a parameter's type ("NUMBER_INTEGER"). In the compiled file, all numbers are doubles,
/// as in protobuf's Struct. So, except for NUMBER_DOUBLE, whole numbers are turned into integers again, in
/// lists and maps too. A value that does not fit the type is unchanged.
Json typed(Json value, std::string_view type);

/// Whether a value that typed() has returned has the type.
bool fits(const Json& value, std::string_view type);

/// Linux's limit for an argument of a command, which is therefore the limit for a task's parameters.
constexpr size_t kMostArgumentBytes = (size_t{128} << 10) - 1;

/// The value of a parameter, read from the text that a program wrote to a file. Apply output_value() to it.
/// Throws Error.
Json from_file(std::string_view text, std::string_view type);

/// The value that a program made for a parameter of the given type. If it does not fit the type, is too long,
/// or cannot be passed on as JSON, throws Error (job_failed); its message continues the words "output x".
Json output_value(Json made, std::string_view type);

/// Parses JSON as Python writes it, with NaN, Infinity and -Infinity. Throws Error.
Json parse_python_json(std::string_view text, std::string_view source);

}  // namespace kml::pipeline::kfp
