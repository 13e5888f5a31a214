#pragma once

#include <string>
#include <string_view>

#include "kml/base/error.h"
#include "kml/base/json.h"

namespace kml::api {

/// Makes a metav1.Status for a failure, in the form that an API server returns. `reason` is a
/// metav1.StatusReason ("NotFound", "AlreadyExists", "Conflict", "Invalid", "Expired", …).
Json failure_status(int http_status, std::string_view reason, std::string message,
                    Json details = Json::object());

inline constexpr const char* kWebhookFailed = "WebhookFailed";

/// The Error for an unsuccessful response. `what` names the failed action ("cannot create job \"bert\"").
/// Quotes up to 2,048 bytes of a body that is not a Status. The code is auth for 401 and for a 403 about the
/// user's rights, unreachable for 504, and failure otherwise. The entries of details.causes become problems.
/// If the server could not call a webhook, the reason is kWebhookFailed: the request has changed nothing.
Error error_from_response(std::string what, int http_status, std::string_view body);

/// Whether a repeated request may succeed a moment later: for 429, 500, 502, 503 and 504.
bool is_passing(int http_status);

}  // namespace kml::api
