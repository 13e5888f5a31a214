#include <algorithm>

#include "kml/base/json.h"
#include "kml/base/text.h"
#include "net/registry/session.h"

namespace kml::registry {

namespace {

/// The registry's own explanation, such as "MANIFEST_UNKNOWN: manifest unknown"
/// (https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#error-codes).
std::string explanation_in(const http::Response& response) {
  constexpr size_t kLongest = 300;
  if (response.is_web_page()) return "the server sends a web page, so it is not a registry";
  const Json body = Json::parse(response.body, nullptr, /*allow_exceptions=*/false);
  for (const Json& error : array_at(body, {"errors"})) {
    const std::string code = string_at(error, {"code"}), message = string_at(error, {"message"});
    const std::string text = code + (code.empty() || message.empty() ? "" : ": ") + message;
    if (!text.empty()) return text.substr(0, kLongest);
  }
  return {};
}

}  // namespace

Error fault_of(const http::Response& response, const std::string& host, const std::string& what) {
  Error error(ErrorCode::failure, "cannot " + what, explanation_in(response));
  if (error.why.empty()) error.why = host + " answers with status " + std::to_string(response.status);
  if (response.status == 401 || response.status == 403) {
    error.code = ErrorCode::auth;
    error.fix = "log in with an account that may do this: docker login " + host;
  } else if (response.status == 404) {
    error.code = ErrorCode::usage;
    error.fix = "check the name and the tag";
  } else if (response.status == 429 || response.status >= 500) {
    error.code = ErrorCode::unreachable;
    error.fix = "wait, then try again";
  }
  error.http_status = response.status;
  return error;
}

Error bad_answer(const std::string& host, const std::string& why) {
  Error error(ErrorCode::failure, host + " does not respond like a registry", why,
              "check the host in the name of the image, and the proxies on the way to it");
  error.reason = kBadAnswer;
  return error;
}

}  // namespace kml::registry
