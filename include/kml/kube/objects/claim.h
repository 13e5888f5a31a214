#pragma once

#include <algorithm>

#include "kml/base/json.h"

namespace kml::api {

// Fields of a v1 PersistentVolumeClaim.

/// Whether the claim's volume can be mounted by only one node at a time (ReadWriteOnce, ReadWriteOncePod).
/// Each claim has at least one access mode.
inline bool is_of_one_node(const Json& claim) {
  const Json& modes = array_at(claim, {"spec", "accessModes"});
  return !modes.empty() && std::all_of(modes.begin(), modes.end(), [](const Json& mode) {
    return mode == "ReadWriteOnce" || mode == "ReadWriteOncePod";
  });
}

}  // namespace kml::api
