#include "local/api/selection.h"

#include <charconv>

#include "kml/base/text.h"
#include "kml/kube/objects/object.h"
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

/// The cause in the error tells clients that they may retry. A real cluster waits some seconds before it
/// responds like this, because its caches lag behind its store.
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

namespace {

/// The fields that field selectors can use for this kind, besides metadata.name and metadata.namespace
/// (AddFieldLabelConversionFunc in k8s.io/kubernetes/pkg/apis).
std::string_view selectable_fields(std::string_view kind) {
  if (kind == "Pod")
    return " spec.nodeName spec.restartPolicy spec.schedulerName spec.serviceAccountName spec.hostNetwork "
           "status.phase "
           "status.podIP status.podIPs status.nominatedNodeName ";
  if (kind == "Event")
    return " involvedObject.kind involvedObject.namespace involvedObject.name involvedObject.uid "
           "involvedObject.apiVersion involvedObject.resourceVersion involvedObject.fieldPath reason "
           "reportingComponent source type ";
  if (kind == "Job") return " status.successful ";
  if (kind == "Namespace") return " status.phase ";
  if (kind == "Node") return " spec.unschedulable ";
  if (kind == "Secret") return " type ";
  return "";
}

void check_fields(const ApiPath& path, const std::string& selector) {
  for (const std::string& part : split(selector, ',')) {
    const std::string field(trim(std::string_view(part).substr(0, part.find_first_of("=!"))));
    if (field.empty() || field == "metadata.name" || field == "metadata.namespace") continue;
    if (selectable_fields(path.kind->kind).find(" " + field + " ") == std::string_view::npos)
      throw bad_request("\"" + field +
                        "\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"");
  }
}

}  // namespace

Selection::Selection(const ApiPath& path, const HttpRequest& request)
    : path_(path),
      labels_(api::LabelSelector::parse(request.parameter("labelSelector"))),
      fields_(api::FieldSelector::parse(request.parameter("fieldSelector"))),
      has_selectors_(!request.parameter("labelSelector").empty() ||
                     !request.parameter("fieldSelector").empty()) {
  check_fields(path, request.parameter("fieldSelector"));
}

bool Selection::matches(const Json& object) const {
  if (!path_.namespace_name.empty() && api::namespace_of(object) != path_.namespace_name) return false;
  // A watch with the path of a single object (the old form) only includes that object.
  if (!path_.name.empty() && api::name_of(object) != path_.name) return false;
  return !has_selectors_ || (labels_.matches(api::labels_of(object)) && fields_.matches(object));
}

}  // namespace kml::local
