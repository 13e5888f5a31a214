#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kml::api {

/// A webhook that the API server could not call, or whose answer it did not understand. The server calls
/// webhooks before it stores an object, so the request has changed nothing and can be sent again.
struct WebhookFailure {
  std::string name;   ///< "validate.example.com", or the kind whose conversion webhook failed
  std::string cause;  ///< "Post \"https://…\": context deadline exceeded"
  std::string fix;    ///< where the webhook's program is, and who can repair it
};

/// Recognizes the messages of k8s.io/apiserver (pkg/util/webhook/error.go) and of apiextensions-apiserver
/// (pkg/apiserver/conversion/webhook_converter.go). Empty for any other message.
std::optional<WebhookFailure> webhook_failure(std::string_view message);

}  // namespace kml::api
