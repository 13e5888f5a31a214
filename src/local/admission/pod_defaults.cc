#include "local/admission/kind_rules.h"
#include "local/admission/pod_rules.h"

namespace kml::local {

namespace {

/// Without a tag, or with "latest", an image may change under its name.
std::string default_pull_policy(const std::string& image) {
  const std::string name = image.substr(image.rfind('/') + 1);
  if (name.find('@') != std::string::npos) return "IfNotPresent";
  const size_t colon = name.find(':');
  return colon == std::string::npos || name.substr(colon + 1) == "latest" ? "Always" : "IfNotPresent";
}

void default_container(Json& container) {
  set_default(container, "terminationMessagePath", "/dev/termination-log");
  set_default(container, "terminationMessagePolicy", "File");
  set_default(container, "imagePullPolicy", default_pull_policy(string_at(container, {"image"})));
  set_default(container, "resources", Json::object());
  quantities_to_text(container["resources"]);
  if (container.contains("ports"))
    for (Json& port : container["ports"]) set_default(port, "protocol", "TCP");
  if (!container.contains("env")) return;
  for (Json& variable : container["env"])
    if (kml::find(variable, {"valueFrom", "fieldRef"}))
      set_default(variable["valueFrom"]["fieldRef"], "apiVersion", "v1");
}

void default_volume(Json& volume) {
  constexpr int kReadableByAll = 0644;
  if (volume.size() == 1) volume["emptyDir"] = Json::object();
  if (volume.contains("hostPath")) set_default(volume["hostPath"], "type", "");
  for (const char* source : {"secret", "configMap"})
    if (volume.contains(source)) set_default(volume[source], "defaultMode", kReadableByAll);
}

}  // namespace

void default_pod_spec(Json& spec) {
  set_default(spec, "restartPolicy", "Always");
  set_default(spec, "terminationGracePeriodSeconds", 30);
  set_default(spec, "dnsPolicy", "ClusterFirst");
  set_default(spec, "schedulerName", "default-scheduler");
  set_default(spec, "securityContext", Json::object());
  // The old name of the field, kept the same.
  if (spec.contains("serviceAccountName"))
    spec["serviceAccount"] = spec["serviceAccountName"];
  else if (spec.contains("serviceAccount"))
    spec["serviceAccountName"] = spec["serviceAccount"];
  for (const char* list : {"initContainers", "containers"})
    if (spec.contains(list))
      for (Json& container : spec[list]) default_container(container);
  if (spec.contains("volumes"))
    for (Json& volume : spec["volumes"]) default_volume(volume);
}

void default_pods_own(Json& spec) {
  if (int_at(spec, {"terminationGracePeriodSeconds"}) < 0) spec["terminationGracePeriodSeconds"] = 1;
  for (const char* list : {"initContainers", "containers"}) {
    if (!spec.contains(list)) continue;
    for (Json& container : spec[list])
      for (const auto& [name, limit] : object_at(container, {"resources", "limits"}).items())
        if (!object_at(container, {"resources", "requests"}).contains(name))
          container["resources"]["requests"][name] = limit;
  }
}

void quantities_to_text(Json& resources) {
  for (const char* list : {"limits", "requests"})
    if (resources.contains(list))
      for (Json& quantity : resources[list])
        if (quantity.is_number()) quantity = quantity.dump();
}

std::string qos_class(const Json& spec) {
  bool any = false, guaranteed = true;
  for (const char* list : {"initContainers", "containers"})
    for (const Json& container : array_at(spec, {list}))
      for (const char* name : {"cpu", "memory"}) {
        const Json* limit = kml::find(container, {"resources", "limits", name});
        const Json* request = kml::find(container, {"resources", "requests", name});
        any |= limit || request;
        guaranteed &= limit && request && *limit == *request;
      }
  return !any ? "BestEffort" : guaranteed ? "Guaranteed" : "Burstable";
}

}  // namespace kml::local
