#pragma once

#include <string>
#include <string_view>

#include "kml/core/error.h"
#include "kml/core/json.h"

namespace kml::api {

/// A metav1.Status of a failure, as an API server answers it.
/// `reason` is one of metav1.StatusReason ("NotFound", "AlreadyExists", "Conflict", "Invalid", "Expired", …).
Json failure_status(int http_status, std::string_view reason, std::string message,
                    Json details = Json::object());

/// kml's error for an answer that is not a success. `what` says what was tried ("cannot create job
/// \"bert\""). A body that is not a Status is quoted, at most 2,048 bytes of it. Code auth for 401 and 403,
/// unreachable for 504, else failure. details.causes become problems.
Error error_from_response(std::string what, int http_status, std::string_view body);

}  // namespace kml::api
