#include "kml/kube/objects/resource.h"

#include <algorithm>

#include "kml/base/error.h"
#include "kml/base/text.h"

namespace kml::api {

namespace {

constexpr ResourceKind kKinds[] = {
    {"", "v1", "Namespace", "namespaces", "namespace", "ns", false},
    {"", "v1", "Node", "nodes", "node", "no", false},
    {"", "v1", "Pod", "pods", "pod", "po", true},
    {"", "v1", "Event", "events", "event", "ev", true},
    {"", "v1", "Secret", "secrets", "secret", "", true},
    {"", "v1", "ConfigMap", "configmaps", "configmap", "cm", true},
    {"", "v1", "Service", "services", "service", "svc", true},
    {"", "v1", "ServiceAccount", "serviceaccounts", "serviceaccount", "sa", true},
    {"", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", "persistentvolumeclaim", "pvc", true},
    {"", "v1", "PersistentVolume", "persistentvolumes", "persistentvolume", "pv", false},
    {"", "v1", "ResourceQuota", "resourcequotas", "resourcequota", "quota", true},
    {"batch", "v1", "Job", "jobs", "job", "", true},
    {"batch", "v1", "CronJob", "cronjobs", "cronjob", "cj", true},
    {"apps", "v1", "Deployment", "deployments", "deployment", "deploy", true},
    {"apps", "v1", "ReplicaSet", "replicasets", "replicaset", "rs", true},
    {"apps", "v1", "StatefulSet", "statefulsets", "statefulset", "sts", true},
    {"scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", "priorityclass", "pc", false},
    {"scheduling.k8s.io", "v1beta1", "PodGroup", "podgroups", "podgroup", "", true},
    {"scheduling.k8s.io", "v1beta1", "Workload", "workloads", "workload", "", true},
    {"rbac.authorization.k8s.io", "v1", "Role", "roles", "role", "", true},
    {"rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings", "rolebinding", "", true},
    {"networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies", "networkpolicy", "netpol", true},
    {"kubeflow.org", "v1", "PyTorchJob", "pytorchjobs", "pytorchjob", "", true},
    {"kubeflow.org", "v2beta1", "MPIJob", "mpijobs", "mpijob", "", true},
    {"trainer.kubeflow.org", "v1alpha1", "TrainJob", "trainjobs", "trainjob", "", true},
    {"jobset.x-k8s.io", "v1alpha2", "JobSet", "jobsets", "jobset", "", true},
};

std::span<const ResourceKind* const> no_further_kinds() {
  return {};
}
std::span<const ResourceKind* const> (*further_kinds)() = no_further_kinds;

}  // namespace

bool is_label_of_further_kind(std::string_view label) {
  const auto kinds = further_kinds();
  return std::any_of(kinds.begin(), kinds.end(),
                     [&](const ResourceKind* kind) { return kind->pod_label == label; });
}

std::string ResourceKind::api_version() const {
  return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
}

std::string ResourceKind::path(std::string_view namespace_name, std::string_view name,
                               std::string_view subresource) const {
  std::string text = group.empty() ? "/api/" : "/apis/";
  text += api_version();
  if (namespaced && !namespace_name.empty()) text += "/namespaces/" + percent_encoded(namespace_name);
  text += "/";
  text += plural;
  if (!name.empty()) text += "/" + percent_encoded(name);
  if (!subresource.empty()) text += "/" + std::string(subresource);
  return text;
}

std::string ResourceKind::object_path(std::string_view namespace_name, std::string_view name,
                                      std::string_view subresource) const {
  if (name.empty())
    throw usage_error("the name of a " + std::string(singular) + " is empty", "",
                      "write " + std::string(singular) + "/NAME");
  return path(namespace_name, name, subresource);
}

std::span<const ResourceKind> known_kinds() {
  return kKinds;
}

bool is_known(const ResourceKind& kind) {
  return std::any_of(std::begin(kKinds), std::end(kKinds),
                     [&](const ResourceKind& known) { return &known == &kind; });
}

void set_further_kinds(std::span<const ResourceKind* const> (*further)()) {
  further_kinds = further;
}

const ResourceKind* find_kind(std::string_view api_version, std::string_view kind) {
  for (const ResourceKind& known : kKinds)
    if (known.kind == kind && known.api_version() == api_version) return &known;
  for (const ResourceKind* further : further_kinds())
    if (further->kind == kind && further->api_version() == api_version) return further;
  return nullptr;
}

const ResourceKind* kind_of(const Json& object) {
  return find_kind(string_at(object, {"apiVersion"}), string_at(object, {"kind"}));
}

const ResourceKind* find_kind_by_word(std::string_view word) {
  const std::string name = lower(word);
  for (const ResourceKind& known : kKinds)
    if (name == known.plural || name == known.singular || (!name.empty() && name == known.short_name) ||
        name == std::string(known.plural) + "." + std::string(known.group))
      return &known;
  for (const ResourceKind* further : further_kinds())
    if (name == further->singular || name == lower(further->kind) || name == further->plural) return further;
  return nullptr;
}

const ResourceKind* find_kind_by_plural(std::string_view group, std::string_view version,
                                        std::string_view plural) {
  for (const ResourceKind& known : kKinds)
    if (known.group == group && known.version == version && known.plural == plural) return &known;
  return nullptr;
}

}  // namespace kml::api
