#pragma once

#include <string>

#include "kml/base/json.h"

namespace kml {

/// The ownerReferences of objects that the object controls.
inline Json controlled_by(const std::string& name, const std::string& uid,
                          const std::string& api_version = "batch/v1", const std::string& kind = "Job") {
  return Json::array(
      {{{"apiVersion", api_version}, {"kind", kind}, {"name", name}, {"uid", uid}, {"controller", true}}});
}

}  // namespace kml
