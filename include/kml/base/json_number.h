#pragma once

#include <optional>

#include "kml/base/json.h"

namespace kml {

/// The number for JSON, which has no NaN and no infinities. These become the texts "NaN", "Infinity" and
/// "-Infinity", as in protobuf's JSON (https://protobuf.dev/programming-guides/json).
Json json_of_number(double number);

/// The number that json_of_number() wrote; empty for any other value.
std::optional<double> number_of_json(const Json& value);

}  // namespace kml
