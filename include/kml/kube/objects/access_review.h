#pragma once

#include <string_view>

#include "kml/kube/objects/resource.h"

namespace kml::api {

/// A request that asks the API server whether the caller is allowed to do something. The server does not
/// store this object, but returns it with its status.
inline constexpr ResourceKind kAccessReview = {"authorization.k8s.io",
                                               "v1",
                                               "SelfSubjectAccessReview",
                                               "selfsubjectaccessreviews",
                                               "selfsubjectaccessreview",
                                               "",
                                               false};

/// A review of whether the caller may `verb` (such as "create") these objects. In the response,
/// status.allowed has the result.
Json access_review(std::string_view verb, std::string_view group, std::string_view plural,
                   std::string_view namespace_name);

}  // namespace kml::api
