#include "kml/base/json_number.h"

#include <cmath>
#include <limits>

namespace kml {

Json json_of_number(double number) {
  if (std::isfinite(number)) return number;
  return std::isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity";
}

std::optional<double> number_of_json(const Json& value) {
  using Limits = std::numeric_limits<double>;
  if (value.is_number()) return value.get<double>();
  if (value == "NaN") return Limits::quiet_NaN();
  if (value == "Infinity") return Limits::infinity();
  if (value == "-Infinity") return -Limits::infinity();
  return {};
}

}  // namespace kml
