#include "kml/kube/objects/status.h"

#include <algorithm>

#include "kube/objects/webhook_failure.h"

namespace kml::api {

Json failure_status(int http_status, std::string_view reason, std::string message, Json details) {
  Json status = {{"apiVersion", "v1"},
                 {"kind", "Status"},
                 {"metadata", Json::object()},
                 {"status", "Failure"},
                 {"message", std::move(message)},
                 {"reason", reason},
                 {"code", http_status}};
  if (!details.empty()) status["details"] = std::move(details);
  return status;
}

namespace {

/// Whether a 403 is about the object, not the user's rights. Webhooks, quotas and pod security also respond
/// with 403, and their messages do not name the user (forbiddenMessage in
/// apiserver/pkg/endpoints/handlers/responsewriters/errors.go).
bool is_refused_object(int http_status, std::string_view message) {
  return http_status == 403 && (message.find("denied the request") != std::string_view::npos ||
                                (message.find(" is forbidden: ") != std::string_view::npos &&
                                 message.find(" is forbidden: User ") == std::string_view::npos));
}

ErrorCode code_of(int http_status) {
  if (http_status == 401 || http_status == 403) return ErrorCode::auth;
  return http_status == 504 ? ErrorCode::unreachable : ErrorCode::failure;
}

std::string fix_of(int http_status, std::string_view reason) {
  if (http_status == 401) return "log in again, or check the user of this context in the kubeconfig";
  if (http_status == 403) return "ask for this right, or choose another --namespace or --context";
  if (reason == "AlreadyExists") return "choose another name, or delete the old object";
  if (reason == "Conflict") return "another client changed the object at the same time: try again";
  if (http_status == 507) return "free up space on the server's disk, then try again";
  if (http_status == 504 && reason == "Timeout")
    return "try again later; if the error persists, an admission webhook may be slow: ask the cluster's "
           "administrator";
  if (http_status == 429 || http_status >= 500) return "try again later";
  return {};
}

}  // namespace

Error error_from_response(std::string what, int http_status, std::string_view body) {
  constexpr size_t kLongestQuote = 2048;
  Error error(code_of(http_status), std::move(what));
  error.http_status = http_status;
  Json status = Json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (string_at(status, {"kind"}) != "Status") {
    error.why = body.empty() ? "the server gave no reason" : std::string(body.substr(0, kLongestQuote));
  } else {
    error.why = string_at(status, {"message"});
    error.reason = string_at(status, {"reason"});
    for (const Json& cause : array_at(status, {"details", "causes"}))
      error.problems.push_back({.path = string_at(cause, {"field"}), .text = string_at(cause, {"message"})});
    // The message about an invalid object repeats these causes, and says nothing else.
    const auto is_told = [&](const Problem& problem) {
      return error.why.find(problem.text) != std::string::npos;
    };
    if (!error.problems.empty() && std::all_of(error.problems.begin(), error.problems.end(), is_told))
      error.why.clear();
  }
  if (is_refused_object(http_status, string_at(status, {"message"}))) {
    error.code = ErrorCode::failure;
    error.fix =
        "change the fields that the message names, or ask the cluster's administrator about this rule";
  } else if (const auto webhook = webhook_failure(string_at(status, {"message"}))) {
    error.problems.clear();  // the problems repeat the message
    error.reason = kWebhookFailed;
    error.why = "the cluster could not call webhook \"" + webhook->name + "\": " + webhook->cause;
    error.fix = webhook->fix;
  } else {
    error.fix = fix_of(http_status, error.reason);
  }
  return error;
}

bool is_passing(int http_status) {
  return http_status == 429 || http_status == 500 || (http_status >= 502 && http_status <= 504);
}

}  // namespace kml::api
