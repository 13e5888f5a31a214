#include "local/routes/scale.h"

#include <fmt/format.h>

#include "kml/base/text.h"
#include "kml/kube/objects/object.h"
#include "local/api/api_error.h"
#include "local/api/request_body.h"
#include "local/routes/routes.h"
#include "local/store/object.h"

namespace kml::local {

bool has_scale(const api::ResourceKind& kind) {
  return kind.kind == "Deployment" || kind.kind == "ReplicaSet";
}

Json scale_of(const Json& object) {
  std::vector<std::string> selector;
  for (const auto& [key, value] : object_at(object, {"spec", "selector", "matchLabels"}).items())
    selector.push_back(fmt::format("{}={}", key, value.get<std::string>()));
  Json metadata = Json::object();
  for (const char* field : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"})
    metadata[field] = object.at("metadata").value(field, Json());
  return {
      {"kind", "Scale"},
      {"apiVersion", "autoscaling/v1"},
      {"metadata", std::move(metadata)},
      {"spec", {{"replicas", int_at(object, {"spec", "replicas"})}}},
      {"status", {{"replicas", int_at(object, {"status", "replicas"})}, {"selector", join(selector, ",")}}}};
}

HttpResponse write_scale(Store& store, const Admission& admission, const ApiPath& path,
                         const HttpRequest& request) {
  const ObjectPtr current = store.get(*path.kind, path.namespace_name, path.name);
  if (!current) throw not_found(*path.kind, path.name);
  Json scale = request.method == "PUT"
                   ? object_of(request)
                   : patched(*path.kind, scale_of(*current), request.content_type, request.body);
  const Json* replicas = kml::find(scale, {"spec", "replicas"});
  if (replicas && !replicas->is_number_integer())
    throw bad_request("Scale in version \"v1\" cannot be handled as a Scale: spec.replicas is not a number");
  Json next = *current;
  next["spec"]["replicas"] = replicas ? *replicas : Json(0);
  if (const std::string revision = api::revision_of(scale); !revision.empty())
    next["metadata"]["resourceVersion"] = revision;
  admission.admit_change(*path.kind, next, *current);
  if (is_dry_run(request)) return json_response(200, scale_of(next));
  return json_response(200, scale_of(*store.update(*path.kind, std::move(next))));
}

}  // namespace kml::local
