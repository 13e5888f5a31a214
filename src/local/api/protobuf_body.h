#pragma once

#include <string_view>

#include "kml/core/json.h"

namespace kml::local {

inline constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

/// The object in a protobuf body. kubectl's own makers of objects (create configmap, create job, auth can-i)
/// send that; answers are JSON, which they take. Throws 400 where it cannot be read, 415 for a kind or a
/// field that is only read as JSON.
Json object_of_protobuf(std::string_view body);

}  // namespace kml::local
