#pragma once

#include <string>

#include "kml/core/json.h"

namespace kml::api {

/// metadata.name and metadata.namespace of an object; empty where there is none.
inline std::string name_of(const Json& object) {
  return string_at(object, {"metadata", "name"});
}
inline std::string namespace_of(const Json& object) {
  return string_at(object, {"metadata", "namespace"});
}

}  // namespace kml::api
