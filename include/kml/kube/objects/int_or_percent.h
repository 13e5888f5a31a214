#pragma once

#include <optional>

#include "kml/base/json.h"

namespace kml::api {

/// Kubernetes' intstr.IntOrString: a number, or the number in a percentage such as "25%". Empty for other
/// values.
struct IntOrPercent {
  long long number = 0;
  bool is_percent = false;

  static std::optional<IntOrPercent> from_json(const Json& value);
  /// The number itself, or this percentage of `total`, rounded up or down.
  long long of(long long total, bool round_up) const;
};

}  // namespace kml::api
