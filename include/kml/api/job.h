#pragma once

#include "kml/core/json.h"

namespace kml::api {

/// Whether a job of any kind is to have no pods; the training operator's kinds say so in their runPolicy.
inline bool is_suspended(const Json& job) {
  return bool_at(job, {"spec", "suspend"}) || bool_at(job, {"spec", "runPolicy", "suspend"});
}

}  // namespace kml::api
