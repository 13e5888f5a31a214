#include "local/api/selection.h"

#include "kml/api/object.h"
#include "kml/core/text.h"
#include "local/api/api_error.h"

namespace kml::local {

namespace {

/// The fields beside metadata.name and metadata.namespace by which objects of a kind can be selected
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
  // One object can be watched by its path, as an old form of watching it.
  if (!path_.name.empty() && api::name_of(object) != path_.name) return false;
  return !has_selectors_ || (labels_.matches(api::labels_of(object)) && fields_.matches(object));
}

}  // namespace kml::local
