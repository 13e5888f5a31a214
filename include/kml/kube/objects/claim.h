#pragma once

#include <algorithm>

#include "kml/base/json.h"

namespace kml::api {

// Fields of a v1 PersistentVolumeClaim.

/// Whether only one node at a time can mount the claim's volume (ReadWriteOnce, ReadWriteOncePod). A claim
/// has at least one access mode.
inline bool is_of_one_node(const Json& claim) {
  const Json& modes = array_at(claim, {"spec", "accessModes"});
  return !modes.empty() && std::all_of(modes.begin(), modes.end(), [](const Json& mode) {
    return mode == "ReadWriteOnce" || mode == "ReadWriteOncePod";
  });
}

}  // namespace kml::api
