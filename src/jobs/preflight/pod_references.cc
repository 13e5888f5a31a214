#include "jobs/preflight/pod_references.h"

#include <algorithm>

#include "kml/api/object.h"
#include "kml/jobs/submit/secret_env.h"
#include "kml/jobs/views/kinds.h"

namespace kml::jobs {

namespace {

class References {
 public:
  void add(const char* kind, const std::string& name,
           std::string_view without_it = PodReference{}.without_it) {
    const PodReference reference{api::find_kind_by_word(kind), name, without_it};
    if (!name.empty() && std::find(found.begin(), found.end(), reference) == found.end())
      found.push_back(reference);
  }
  void add_from(const Json& owner, const char* field, const char* kind, const char* key = "name") {
    const Json& reference = object_at(owner, {field});
    if (!bool_at(reference, {"optional"})) add(kind, string_at(reference, {key}));
  }

  std::vector<PodReference> found;
};

/// Names of all secrets that the pod gets, those too that it would run without.
std::vector<std::string> secrets_of(const Json& pod_spec) {
  std::vector<std::string> names;
  const auto visit = [&names](const auto& self, const Json& value) -> void {
    for (const auto& [key, member] : value.items()) {
      // Of a volume, of a variable, of a volume driver's credentials.
      if (key == "secret" || key.ends_with("ecretRef") || key == "secretKeyRef")
        names.push_back(string_at(member, {"name"}, string_at(member, {"secretName"})));
      else if (key == "secretName")
        names.push_back(string_at(value, {"secretName"}));
      if (member.is_structured()) self(self, member);
    }
  };
  visit(visit, pod_spec);
  for (const Json& secret : array_at(pod_spec, {"imagePullSecrets"}))
    names.push_back(string_at(secret, {"name"}));
  return names;
}

}  // namespace

std::vector<PodReference> references_of(const Json& pod_spec) {
  References references;
  for (const Json& volume : array_at(pod_spec, {"volumes"})) {
    references.add_from(volume, "persistentVolumeClaim", "pvc", "claimName");
    references.add_from(volume, "secret", "secret", "secretName");
    references.add_from(volume, "configMap", "configmap");
    for (const Json& source : array_at(volume, {"projected", "sources"})) {
      references.add_from(source, "secret", "secret");
      references.add_from(source, "configMap", "configmap");
    }
  }
  for (const char* group : {"initContainers", "containers"})
    for (const Json& container : array_at(pod_spec, {group})) {
      for (const Json& source : array_at(container, {"envFrom"})) {
        references.add_from(source, "secretRef", "secret");
        references.add_from(source, "configMapRef", "configmap");
      }
      for (const Json& variable : array_at(container, {"env"})) {
        references.add_from(object_at(variable, {"valueFrom"}), "secretKeyRef", "secret");
        references.add_from(object_at(variable, {"valueFrom"}), "configMapKeyRef", "configmap");
      }
    }
  for (const Json& secret : array_at(pod_spec, {"imagePullSecrets"}))
    references.add("secret", string_at(secret, {"name"}), "the job's image could not be pulled with it");
  references.add("serviceaccount",
                 string_at(pod_spec, {"serviceAccountName"}, string_at(pod_spec, {"serviceAccount"})));
  references.add("priorityclass", string_at(pod_spec, {"priorityClassName"}));
  return std::move(references.found);
}

std::vector<std::string> taken_by(std::span<const Json> objects) {
  std::vector<std::string> taken;
  const auto add = [&taken](std::string text) {
    if (std::find(taken.begin(), taken.end(), text) == taken.end()) taken.push_back(std::move(text));
  };
  const auto is_made = [&](std::string_view kind, const std::string& name) {
    return std::any_of(objects.begin(), objects.end(), [&](const Json& object) {
      return api::kind_name(object) == kind && api::name_of(object) == name;
    });
  };
  for (const Json& object : objects)
    each_pod_template(object, [&](const Json& pod, int) {
      for (const std::string& name : secrets_of(api::spec_of(pod)))
        if (!name.empty() && !is_made("Secret", name)) add("the secret " + name);
      const std::string account =
          string_at(pod, {"spec", "serviceAccountName"}, string_at(pod, {"spec", "serviceAccount"}));
      if (!account.empty() && !is_made("ServiceAccount", account)) add("the service account " + account);
      for (const Json& volume : array_at(pod, {"spec", "volumes"}))
        if (const std::string path = string_at(volume, {"hostPath", "path"}); !path.empty())
          add("the machine's " + path);
    });
  return taken;
}

}  // namespace kml::jobs
