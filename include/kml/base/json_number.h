#pragma once

#include <optional>

#include "kml/base/json.h"

namespace kml {

/// The number as JSON. JSON has no NaN and infinities; these become the texts "NaN", "Infinity" and
/// "-Infinity", as in protobuf's JSON (https://protobuf.dev/programming-guides/json).
Json json_of_number(double number);

/// The number written by json_of_number(); empty for any other value.
std::optional<double> number_of_json(const Json& value);

}  // namespace kml
