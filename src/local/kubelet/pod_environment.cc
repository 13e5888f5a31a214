#include "local/kubelet/pod_environment.h"

#include <fmt/format.h>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "local/store/object.h"

namespace kml::local {

std::string expand_variables(std::string_view text,
                             const std::map<std::string, std::string, std::less<>>& variables) {
  std::string expanded;
  while (!text.empty()) {
    const size_t dollar = std::min(text.find('$'), text.size());
    expanded += text.substr(0, dollar);
    text.remove_prefix(dollar);
    if (text.starts_with("$$")) {
      expanded += '$';
      text.remove_prefix(2);
      continue;
    }
    const size_t end = text.starts_with("$(") ? text.find(')') : std::string_view::npos;
    const auto found =
        end == std::string_view::npos ? variables.end() : variables.find(text.substr(2, end - 2));
    const size_t length = end == std::string_view::npos ? std::min<size_t>(1, text.size()) : end + 1;
    if (found != variables.end())
      expanded += found->second;
    else
      expanded += text.substr(0, length);
    text.remove_prefix(length);
  }
  return expanded;
}

namespace {

// Pods inherit only these variables from the user's shell, because other variables may contain secrets.
constexpr const char* kInherited[] = {
    "PATH", "HOME",   "USER",       "LOGNAME",     "SHELL",           "LANG",         "LC_ALL",
    "TZ",   "TMPDIR", "PYTHONPATH", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "CONDA_PREFIX", "CONDA_DEFAULT_ENV"};
constexpr const char* kDefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr const char* kLoopback = "127.0.0.1";

/// The key in "metadata.labels['key']"; empty for other paths.
std::string subscript(const std::string& path, std::string_view of) {
  const std::string begin = std::string(of) + "['";
  if (!path.starts_with(begin) || !path.ends_with("']")) return {};
  return path.substr(begin.size(), path.size() - begin.size() - 2);
}

std::string field_value(const Json& pod, const std::string& path) {
  if (std::string key = subscript(path, "metadata.labels"); !key.empty()) return api::label_of(pod, key);
  if (std::string key = subscript(path, "metadata.annotations"); !key.empty()) return annotation_of(pod, key);
  if (path == "status.hostIP" || path == "status.podIP" || path == "status.podIPs" ||
      path == "status.hostIPs")
    return kLoopback;
  const Json* value = &pod;
  for (const std::string& key : split(path, '.'))
    if (!(value = find(*value, {key}))) return {};
  return value->is_string() ? value->get<std::string>() : "";
}

/// The pod's container with that name, or `other` if the pod has none.
const Json& container_called(const Json& pod, const std::string& name, const Json& other) {
  const Json* found = &other;
  api::visit_containers(api::spec_of(pod), [&](const Json& container) {
    if (api::entry_name(container) == name) found = &container;
  });
  return *found;
}

std::string resource_value(const Json& container, const Json& reference, const api::Amounts& allocatable) {
  // For "limits.cpu", uses the node's capacity if the limit is not set, as Kubernetes does.
  const std::string path = string_at(reference, {"resource"});
  const size_t dot = std::min(path.find('.'), path.size() - 1);
  const std::string name = path.substr(dot + 1);
  const api::Amounts given = api::amounts_of(object_at(container, {"resources", path.substr(0, dot)}));
  auto it = given.find(name);
  if (it == given.end()) it = allocatable.find(name);
  if (it == given.end() || it == allocatable.end()) return "0";
  const int64_t divisor = api::quantity_milli(string_at(reference, {"divisor"})).value_or(0);
  const int64_t by = divisor > 0 ? divisor : api::kMilli;  // a divisor of 0 is not set, and stands for 1
  return std::to_string((it->second + by - 1) / by);
}

/// The entries of a secret or config map to which a container refers; empty if that is missing but optional.
std::optional<Environment> source_entries(const Json& pod, const api::ResourceKind& kind,
                                          const Json& reference, const Store& store) {
  const std::string name = api::entry_name(reference);
  ObjectPtr source = store.get(kind, namespace_of(pod), name);
  if (source) return entries_of(*source);
  if (api::is_optional(reference)) return {};
  throw config_error(fmt::format("{} \"{}\" not found", kind.singular, name));
}

std::optional<std::string> key_value(const Json& pod, const api::ResourceKind& kind, const Json& reference,
                                     const Store& store) {
  const auto entries = source_entries(pod, kind, reference, store);
  if (!entries) return {};
  const std::string key = api::key_of(reference);
  if (auto it = entries->find(key); it != entries->end()) return it->second;
  if (api::is_optional(reference)) return {};
  throw config_error(fmt::format("couldn't find key {} in {} {}/{}", key, kind.kind, namespace_of(pod),
                                 api::entry_name(reference)));
}

}  // namespace

Error config_error(std::string message) {
  Error error(ErrorCode::failure, std::move(message));
  error.reason = "CreateContainerConfigError";
  return error;
}

Environment entries_of(const Json& object) {
  Environment entries;
  const bool secret = api::kind_name(object) == "Secret";
  for (const auto& [key, value] : api::data_of(object).items())
    if (value.is_string())
      entries[key] =
          secret ? base64_decoded(value.get<std::string>()).value_or("") : value.get<std::string>();
  for (const auto& [key, value] : object_at(object, {"binaryData"}).items())
    if (value.is_string()) entries[key] = base64_decoded(value.get<std::string>()).value_or("");
  return entries;
}

Environment base_environment(const Json& pod, int node_gpus) {
  Environment environment;
  const Json given = Json::parse(annotation_of(pod, api::kEnvironment), nullptr, false);
  for (const char* name : kInherited) {
    const std::string value = given.is_object() ? string_at(given, {name}) : kml::environment(name);
    if (!value.empty()) environment[name] = value;
  }
  environment.try_emplace("PATH", kDefaultPath);
  environment["HOSTNAME"] = string_at(pod, {"spec", "hostname"}, name_of(pod));
  const std::string slots = annotation_of(pod, api::kGpuSlots);
  if (node_gpus > 0) {
    // The numbers of slots are in NVML's order.
    environment.insert({{"CUDA_VISIBLE_DEVICES", slots},
                        {"NVIDIA_VISIBLE_DEVICES", slots.empty() ? "void" : slots},
                        {"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}});
  }
  return environment;
}

Environment declared_environment(const Json& pod, const Json& container, const Store& store,
                                 const api::Amounts& allocatable) {
  Environment environment;
  for (const Json& source : api::variable_sources_of(container)) {
    std::optional<Environment> entries;
    if (const Json* reference = find(source, {"secretRef"}))
      entries = source_entries(pod, kinds::secret, *reference, store);
    else if (const Json* map = find(source, {"configMapRef"}))
      entries = source_entries(pod, kinds::config_map, *map, store);
    for (const auto& [key, value] : entries.value_or(Environment()))
      environment[string_at(source, {"prefix"}) + key] = value;
  }
  for (const Json& variable : api::variables_of(container)) {
    const std::string name = api::entry_name(variable);
    std::optional<std::string> value;
    if (const Json* secret = find(variable, {"valueFrom", "secretKeyRef"}))
      value = key_value(pod, kinds::secret, *secret, store);
    else if (const Json* map = find(variable, {"valueFrom", "configMapKeyRef"}))
      value = key_value(pod, kinds::config_map, *map, store);
    else if (const Json* resource = find(variable, {"valueFrom", "resourceFieldRef"}))
      value = resource_value(container_called(pod, string_at(*resource, {"containerName"}), container),
                             *resource, allocatable);
    else if (variable.contains("valueFrom"))
      value = field_value(pod, string_at(variable, {"valueFrom", "fieldRef", "fieldPath"}));
    else
      value = expand_variables(api::value_of(variable), environment);
    if (value) environment[name] = *value;
  }
  return environment;
}

}  // namespace kml::local
