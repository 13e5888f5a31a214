#pragma once

#include <optional>
#include <string>

#include "local/http/http_message.h"

namespace kml::local {

/// Answers a POST of SelfSubjectReview, SelfSubjectAccessReview or SelfSubjectRulesReview, which ask who one
/// is and what one may do: `user` may do everything here. Nothing for other paths.
std::optional<HttpResponse> review(const HttpRequest& request, const std::string& user);

}  // namespace kml::local
