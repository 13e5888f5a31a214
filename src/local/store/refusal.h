#pragma once

#include <string>
#include <utility>

#include "kml/base/error.h"

namespace kml::local {

/// An Error as the API server would word it. `reason` is a metav1.StatusReason.
inline Error api_error(int http_status, std::string reason, std::string message) {
  Error error(ErrorCode::failure, std::move(message));
  error.http_status = http_status;
  error.reason = std::move(reason);
  return error;
}

}  // namespace kml::local
