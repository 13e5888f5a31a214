#pragma once

#include "kml/kube/objects/resource.h"

namespace kml::job {

inline constexpr api::ResourceKind kLimitRange{"",           "v1",     "LimitRange", "limitranges",
                                               "limitrange", "limits", true};

}  // namespace kml::job
