// From the validation tags in types.go of k8s.io/api/scheduling/v1beta1.
#include <string>

#include "kml/kube/objects/object.h"
#include "local/admission/kind_rules.h"

namespace kml::local {

namespace {

void validate_policy(const Json& spec, const std::string& path, FieldErrors& errors) {
  const Json &policy = object_at(spec, {"schedulingPolicy"}), *gang = find(policy, {"gang"});
  const bool has_basic = find(policy, {"basic"}) != nullptr;
  if (has_basic == (gang != nullptr))
    errors.invalid(path + ".schedulingPolicy", policy, "must specify exactly one of: `basic`, `gang`");
  const int64_t least = gang ? int_at(*gang, {"minCount"}) : 1;
  if (least < 1)
    errors.invalid(path + ".schedulingPolicy.gang.minCount", least, "must be greater than or equal to 1");
}

/// The spec without its gang's size, which is the only part that may change.
Json without_size(Json spec) {
  if (find(spec, {"schedulingPolicy", "gang"})) spec["schedulingPolicy"]["gang"].erase("minCount");
  return spec;
}

}  // namespace

const KindRules kPodGroupRules{
    [](Json& group) {
      set_default(group, "spec", Json::object());
      set_default(group["spec"], "disruptionMode", Json{{"single", Json::object()}});
    },
    [](const Json& group, FieldErrors& errors) { validate_policy(api::spec_of(group), "spec", errors); },
    [](const Json& next, const Json& current, FieldErrors& errors) {
      if (without_size(api::spec_of(next)) != without_size(api::spec_of(current)))
        errors.invalid("spec", api::spec_of(next), "field is immutable");
    },
};

const KindRules kWorkloadRules{
    [](Json& workload) { set_default(workload, "spec", Json::object()); },
    [](const Json& workload, FieldErrors& errors) {
      const Json& templates = array_at(workload, {"spec", "podGroupTemplates"});
      if (templates.empty())
        errors.invalid("spec", api::spec_of(workload),
                       "must specify one of: `compositePodGroupTemplates`, `podGroupTemplates`");
      for (size_t i = 0; i < templates.size(); ++i)
        validate_policy(templates[i], "spec.podGroupTemplates[" + std::to_string(i) + "]", errors);
    },
    [](const Json&, const Json&, FieldErrors&) {},
};

}  // namespace kml::local
