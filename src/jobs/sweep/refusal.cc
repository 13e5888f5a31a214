#include "jobs/sweep/refusal.h"

#include <algorithm>

namespace kml::jobs {

/// Texts of k8s.io/apiserver: plugin/resourcequota/controller.go ("exceeded quota", "status unknown for
/// quota"; "failed quota" where the manifest lacks what the quota counts),
/// plugin/webhook/errors/statuserror.go
/// ("denied the request") and plugin/policy/validating/dispatcher.go ("denied request").
Refusal refusal_of(const Error& error) {
  if (error.http_status == 400 || error.http_status == 422) return Refusal::for_good;
  const bool is_lost = error.http_status == 0 && error.code == ErrorCode::unreachable;
  if (is_lost || error.http_status == 429 || error.http_status >= 500) return Refusal::passing;
  if (error.http_status != 403) return Refusal::of_sweep;
  const std::string text = error.message + error.why;
  const auto says = [&](const char* part) { return text.find(part) != std::string::npos; };
  if (says("failed quota")) return Refusal::for_good;
  if (says("quota")) return Refusal::by_quota;
  return says("denied the request") || says("denied request") ? Refusal::for_good : Refusal::of_sweep;
}

}  // namespace kml::jobs
