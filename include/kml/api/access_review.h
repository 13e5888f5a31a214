#pragma once

#include <string_view>

#include "kml/api/resource.h"

namespace kml::api {

/// What asks a server whether the asker may do something. Nothing keeps it: one creates it and reads its
/// status.
inline constexpr ResourceKind kAccessReview = {"authorization.k8s.io",
                                               "v1",
                                               "SelfSubjectAccessReview",
                                               "selfsubjectaccessreviews",
                                               "selfsubjectaccessreview",
                                               "",
                                               false};

/// May I `verb` ("create") such objects? The answer's status.allowed tells.
Json access_review(std::string_view verb, std::string_view group, std::string_view plural,
                   std::string_view namespace_name);

}  // namespace kml::api
