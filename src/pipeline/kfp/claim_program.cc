#include "kml/base/error.h"
#include "pipeline/kfp/placeholders.h"
#include "pipeline/kfp/program.h"
#include "pipeline/kfp/values.h"

namespace kml::pipeline::kfp {

/// The parameters have the same names as in CreatePVC and DeletePVC of kfp-kubernetes.
Json ClaimProgram::object(const render::Scope& scope) const {
  Json given = Json::object();
  for (const Argument& argument : task().parameters)
    if (Json value = typed(value_of(argument.binding, scope), argument.type); !value.is_null())
      given[argument.name] = std::move(value);
  std::string name = string_at(given, {"pvc_name"});
  if (const std::string suffix = string_at(given, {"pvc_name_suffix"}); name.empty() && !suffix.empty())
    name = string_at(scope.at("run"), {"name"}) + suffix;
  if (name.empty())
    throw usage_error("the claim has no name", "neither pvc_name nor pvc_name_suffix is given");
  Json claim = {{"apiVersion", "v1"}, {"kind", "PersistentVolumeClaim"}, {"metadata", {{"name", name}}}};
  if (removes_) return claim;
  if (const Json& annotations = object_at(given, {"annotations"}); !annotations.empty())
    claim["metadata"]["annotations"] = annotations;
  Json& spec = claim["spec"];
  spec["accessModes"] = array_at(given, {"access_modes"});
  spec["resources"]["requests"]["storage"] = string_at(given, {"size"});
  for (const auto& [field, parameter] : {std::pair("storageClassName", "storage_class_name"),
                                         {"volumeName", "volume_name"},
                                         {"dataSource", "data_source"}})
    if (given.contains(parameter)) spec[field] = given[parameter];
  return claim;
}

}  // namespace kml::pipeline::kfp
