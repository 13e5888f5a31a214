#include <fmt/format.h>

#include <algorithm>

#include "kml/kube/objects/object.h"
#include "kml/kube/objects/quantity.h"
#include "local/admission/kind_rules.h"

namespace kml::local {

// ResourceQuotas (k8s.io/kubernetes/pkg/apis/core/validation/validation.go, ValidateResourceQuota).

namespace {

bool is_known(std::string_view name) {
  constexpr std::string_view kCompute[] = {"cpu", "memory", "ephemeral-storage"};
  constexpr std::string_view kOthers[] = {"requests.storage",
                                          "pods",
                                          "resourcequotas",
                                          "services",
                                          "secrets",
                                          "replicationcontrollers",
                                          "persistentvolumeclaims",
                                          "configmaps",
                                          "services.nodeports",
                                          "services.loadbalancers"};
  for (std::string_view prefix : {"requests.", "limits."})
    if (name.starts_with(prefix))
      return name == "requests.storage" || std::find(std::begin(kCompute), std::end(kCompute),
                                                     name.substr(prefix.size())) != std::end(kCompute);
  return std::find(std::begin(kCompute), std::end(kCompute), name) != std::end(kCompute) ||
         std::find(std::begin(kOthers), std::end(kOthers), name) != std::end(kOthers);
}

bool is_whole(std::string_view name) {
  return name.find("cpu") == std::string_view::npos && name.find("memory") == std::string_view::npos &&
         name.find("storage") == std::string_view::npos;
}

void validate_scopes(const Json& spec, FieldErrors& errors) {
  const Json& scopes = array_at(spec, {"scopes"});
  auto has = [&](const char* scope) {
    return std::find(scopes.begin(), scopes.end(), scope) != scopes.end();
  };
  for (const Json& scope : scopes)
    if (scope != "Terminating" && scope != "NotTerminating" && scope != "BestEffort" &&
        scope != "NotBestEffort" && scope != "PriorityClass" && scope != "CrossNamespacePodAffinity")
      errors.invalid("spec.scopes", scopes, "unsupported scope");
  if ((has("BestEffort") && has("NotBestEffort")) || (has("Terminating") && has("NotTerminating")))
    errors.invalid("spec.scopes", scopes, "conflicting scopes");
}

}  // namespace

const KindRules kQuotaRules{
    [](Json& quota) {
      for (Json& amount : api::part_in(quota["spec"], "hard"))
        if (amount.is_number()) amount = amount.dump();
    },
    [](const Json& quota, FieldErrors& errors) {
      for (const auto& [name, value] : object_at(quota, {"spec", "hard"}).items()) {
        const std::string path = fmt::format("spec.hard[{}]", name);
        const auto amount = api::quantity_milli(value.get<std::string>());
        if (name.find('/') == std::string::npos && !is_known(name))
          errors.invalid(path, name, "must be a standard resource for quota");
        if (amount && *amount < 0)
          errors.invalid(path, value, "must be greater than or equal to 0");
        else if (amount && *amount % 1000 != 0 && is_whole(name))
          errors.invalid(path, value, "must be an integer");
      }
      validate_scopes(api::spec_of(quota), errors);
    },
    [](const Json& next, const Json& current, FieldErrors& errors) {
      for (const char* scopes : {"scopes", "scopeSelector"})
        require_same(api::spec_of(next), api::spec_of(current), scopes, "spec", errors);
    },
};

}  // namespace kml::local
