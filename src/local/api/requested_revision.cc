#include "local/api/requested_revision.h"

#include <charconv>

#include "local/api/api_error.h"

namespace kml::local {

namespace {

constexpr api::ResourceKind kListOptions{"meta.k8s.io", "v1", "ListOptions", "", "", "", false};
constexpr const char* kMatch = "resourceVersionMatch";

/// k8s.io/apimachinery/pkg/apis/meta/internalversion/validation
void check_match(const std::string& match, const std::string& version, bool continues) {
  if (match.empty()) return;
  FieldErrors errors;
  if (continues)
    errors.forbidden(kMatch, "resourceVersionMatch is forbidden when continue is provided");
  else if (version.empty())
    errors.forbidden(kMatch, "resourceVersionMatch is forbidden unless resourceVersion is provided");
  else if (match != "Exact" && match != "NotOlderThan")
    errors.not_supported(kMatch, match, R"("Exact", "NotOlderThan", "")");
  else if (match == "Exact" && version == "0")
    errors.forbidden(kMatch, R"(resourceVersionMatch "exact" is forbidden for resourceVersion "0")");
  errors.throw_if_any(kListOptions, "");
}

/// With the cause by which clients know that they may ask again. A cluster waits some seconds first, as its
/// caches run behind its store.
ApiError too_large(const std::string& version, uint64_t current) {
  ApiError error(
      api_error(504, "Timeout",
                "Timeout: Too large resource version: " + version + ", current: " + std::to_string(current)),
      kListOptions, "", "");
  error.details = {
      {"causes", {{{"reason", "ResourceVersionTooLarge"}, {"message", "Too large resource version"}}}},
      {"retryAfterSeconds", 1}};
  return error;
}

}  // namespace

uint64_t requested_revision(const HttpRequest& request, uint64_t current) {
  const std::string version = request.parameter("resourceVersion"), match = request.parameter(kMatch);
  check_match(match, version, !request.parameter("continue").empty());
  if (version.empty()) return current;
  uint64_t revision = 0;
  const char* end = version.data() + version.size();
  if (std::from_chars(version.data(), end, revision).ptr != end)
    throw bad_request("invalid resource version: resourceVersion: Invalid value: \"" + version + "\"");
  if (revision > current) throw too_large(version, current);
  return match == "Exact" ? revision : current;
}

}  // namespace kml::local
