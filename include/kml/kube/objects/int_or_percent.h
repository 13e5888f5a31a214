#pragma once

#include <optional>

#include "kml/base/json.h"

namespace kml::api {

/// A number, or the percentage of a "25%"; empty for other values. Kubernetes' intstr.IntOrString.
struct IntOrPercent {
  long long number = 0;
  bool is_percent = false;

  static std::optional<IntOrPercent> from_json(const Json& value);
  /// The number itself, or that percentage of `total`, rounded up or down.
  long long of(long long total, bool round_up) const;
};

}  // namespace kml::api
