#include "local/admission/kind_rules.h"

#include <fmt/format.h>

#include "kml/kube/objects/names.h"
#include "kml/kube/objects/object.h"
#include "local/admission/pod_rules.h"

namespace kml::local {

const KindRules& rules_of(const api::ResourceKind& kind) {
  static const KindRules none{[](Json&) {}, [](const Json&, FieldErrors&) {},
                              [](const Json&, const Json&, FieldErrors&) {}};
  const std::pair<std::string_view, const KindRules&> kRules[] = {
      {"Pod", kPodRules},
      {"Job", kJobRules},
      {"CronJob", kCronJobRules},
      {"PyTorchJob", kPyTorchJobRules},
      {"Secret", kSecretRules},
      {"ConfigMap", kConfigMapRules},
      {"PersistentVolumeClaim", kClaimRules},
      {"PriorityClass", kPriorityClassRules},
      {"Namespace", kNamespaceRules},
      {"ResourceQuota", kQuotaRules},
      {"Deployment", kDeploymentRules},
      {"ReplicaSet", kReplicaSetRules},
      {"Service", kServiceRules},
      {"PodGroup", kPodGroupRules},
      {"Workload", kWorkloadRules},
  };
  for (const auto& [name, rules] : kRules)
    if (kind.kind == name) return rules;
  return none;
}

Json new_namespace(const std::string& name) {
  return {{"metadata", {{"name", name}, {"labels", {{"kubernetes.io/metadata.name", name}}}}},
          {"spec", {{"finalizers", Json::array({"kubernetes"})}}},
          {"status", {{"phase", "Active"}}}};
}

void require_not_negative(const Json& object, const char* key, const std::string& path, FieldErrors& errors) {
  if (int64_t value = int_at(object, {key}); value < 0)
    errors.invalid(path + "." + key, value, "must be greater than or equal to 0");
}

void require_same(const Json& next, const Json& current, const char* key, const std::string& path,
                  FieldErrors& errors) {
  const Json *left = find(next, {key}), *right = find(current, {key});
  if ((left ? *left : Json()) != (right ? *right : Json()))
    errors.immutable(path + "." + key, left ? *left : Json());
}

const KindRules kPodRules{
    [](Json& pod) {
      set_default(pod, "spec", Json::object());
      Json& spec = pod["spec"];
      default_pod_spec(spec);
      default_pods_own(spec);
      set_default(spec, "enableServiceLinks", true);
      set_default(spec, "serviceAccountName", "default");
      spec["serviceAccount"] = spec["serviceAccountName"];
      set_default(pod, "status", Json{{"phase", "Pending"}, {"qosClass", qos_class(spec)}});
    },
    [](const Json& pod, FieldErrors& errors) { validate_pod_spec(api::spec_of(pod), "spec", errors); },
    [](const Json& next, const Json& current, FieldErrors& errors) {
      validate_pod_change(api::spec_of(next), api::spec_of(current), errors);
    },
};

const KindRules kNamespaceRules{
    [](Json& object) {
      const Json fresh = new_namespace(api::name_of(object));
      object["metadata"]["labels"].update(api::labels_of(fresh));
      set_default(object, "spec", fresh["spec"]);
      set_default(object, "status", fresh["status"]);
    },
    [](const Json&, FieldErrors&) {},
    [](const Json&, const Json&, FieldErrors&) {},
};

namespace {

void validate_finalizers(const Json& metadata, FieldErrors& errors) {
  for (const Json& name : array_at(metadata, {"finalizers"})) {
    const std::string text = name.is_string() ? name.get<std::string>() : "";
    if (std::string problem = api::label_key_problem(text); !problem.empty())
      errors.invalid("metadata.finalizers", name, problem);
    else if (text.find('/') == std::string::npos && text != "orphan" && text != "foregroundDeletion" &&
             text != "kubernetes")
      errors.invalid("metadata.finalizers", name,
                     "name is neither a standard finalizer name nor is it fully qualified");
  }
}

void validate_owners(const Json& metadata, FieldErrors& errors) {
  const Json& owners = array_at(metadata, {"ownerReferences"});
  int controllers = 0;
  for (size_t i = 0; i < owners.size(); ++i) {
    const std::string path = fmt::format("metadata.ownerReferences[{}]", i);
    for (const char* field : {"apiVersion", "kind", "name", "uid"})
      if (string_at(owners[i], {field}).empty()) errors.required(fmt::format("{}.{}", path, field));
    controllers += api::is_controller(owners[i]) ? 1 : 0;
  }
  if (controllers > 1)
    errors.invalid("metadata.ownerReferences", owners, "Only one reference can have Controller set to true");
}

}  // namespace

void validate_metadata(const Json& metadata, FieldErrors& errors) {
  validate_labels(metadata, "metadata", errors);
  validate_finalizers(metadata, errors);
  validate_owners(metadata, errors);
}

void validate_labels(const Json& metadata, const std::string& path, FieldErrors& errors) {
  for (const auto& [key, value] : object_at(metadata, {"labels"}).items()) {
    if (std::string problem = api::label_key_problem(key); !problem.empty())
      errors.invalid(path + ".labels", key, problem);
    if (std::string problem = api::label_value_problem(value.is_string() ? value.get<std::string>() : "");
        !problem.empty())
      errors.invalid(path + ".labels", value, problem);
  }
  constexpr size_t kMaxAnnotations = 256 << 10;
  size_t size = 0;
  for (const auto& [key, value] : object_at(metadata, {"annotations"}).items()) {
    if (std::string problem = api::label_key_problem(key); !problem.empty())
      errors.invalid(path + ".annotations", key, problem);
    size += key.size() + (value.is_string() ? value.get_ref<const std::string&>().size() : 0);
  }
  if (size > kMaxAnnotations) errors.too_long(path + ".annotations", kMaxAnnotations);
}

}  // namespace kml::local
