#pragma once

#include <string>

#include "kml/base/json.h"

namespace kml::api {

/// Why a pod is not ready.
struct Unready {
  std::string problem;       ///< the cause: "pod web-1 crashed with exit code 7"
  bool is_hopeless = false;  ///< waiting is useless, because the pod crashes again and again
};
Unready why_unready(const Json& pod);

}  // namespace kml::api
