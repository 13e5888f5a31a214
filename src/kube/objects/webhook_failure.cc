#include "kube/objects/webhook_failure.h"

#include <algorithm>

namespace kml::api {

namespace {

/// The text between two others; empty if one of them is missing.
std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const size_t begin = text.find(before);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin + before.size());
  const size_t end = text.find(after);
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end);
}

/// The advice for a webhook at this URL. The server calls a service by the host "NAME.NAMESPACE.svc".
std::string webhook_fix(std::string_view url) {
  const std::string_view host = between(url, "https://", "/");
  const std::string_view service = host.substr(0, host.find('.'));
  const std::string_view namespace_name = between(host, ".", ".svc");
  const std::string program =
      namespace_name.empty()
          ? "its program must answer" + (host.empty() ? std::string() : " at https://" + std::string(host))
          : "service " + std::string(service) + " in namespace " + std::string(namespace_name) +
                " must have a pod that answers";
  return program + ": ask the cluster's administrator to repair it, then try again";
}

}  // namespace

std::optional<WebhookFailure> webhook_failure(std::string_view message) {
  constexpr std::string_view kAdmission = "failed calling webhook \"",
                             kConversion = "conversion webhook for ";
  std::string_view name = between(message, kAdmission, "\"");
  if (name.empty() && message.find(" failed: ") != std::string_view::npos)
    name = between(message, kConversion, " failed: ");
  if (name.empty()) return {};
  std::string_view cause = message.substr(message.find(name) + name.size());
  cause.remove_prefix(std::min(cause.find_first_not_of("\":; "), cause.size()));
  for (const std::string_view shown_before : {"failed: ", "failed to call webhook: "})
    if (cause.starts_with(shown_before)) cause.remove_prefix(shown_before.size());
  return WebhookFailure{std::string(name), std::string(cause), webhook_fix(between(cause, "\"", "\""))};
}

}  // namespace kml::api
