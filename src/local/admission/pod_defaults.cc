#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "local/admission/kind_rules.h"
#include "local/admission/pod_rules.h"
#include "local/admission/probe_rules.h"

namespace kml::local {

namespace {

/// The default is "Always" for an image with neither a tag nor a digest, or with the tag "latest", because
/// its content may change.
std::string default_pull_policy(const std::string& image) {
  const std::string name = image.substr(image.rfind('/') + 1);
  if (name.find('@') != std::string::npos) return "IfNotPresent";
  const size_t colon = name.find(':');
  return colon == std::string::npos || name.substr(colon + 1) == "latest" ? "Always" : "IfNotPresent";
}

void default_container(Json& container) {
  set_default(container, "terminationMessagePath", "/dev/termination-log");
  set_default(container, "terminationMessagePolicy", "File");
  set_default(container, "imagePullPolicy", default_pull_policy(api::image_of(container)));
  set_default(container, "resources", Json::object());
  quantities_to_text(container["resources"]);
  default_probes(container);
  for (Json& port : api::part_in(container, "ports")) set_default(port, "protocol", "TCP");
  for (Json& variable : api::part_in(container, "env"))
    if (kml::find(variable, {"valueFrom", "fieldRef"}))
      set_default(variable["valueFrom"]["fieldRef"], "apiVersion", "v1");
}

void default_volume(Json& volume) {
  constexpr int kReadableByAll = 0644;
  if (volume.size() == 1) volume["emptyDir"] = Json::object();
  if (volume.contains("hostPath")) set_default(volume["hostPath"], "type", "");
  for (const char* source : {"secret", "configMap", "projected"})
    if (volume.contains(source)) set_default(volume[source], "defaultMode", kReadableByAll);
}

}  // namespace

void default_pod_spec(Json& spec) {
  set_default(spec, "restartPolicy", "Always");
  set_default(spec, "terminationGracePeriodSeconds", 30);
  set_default(spec, "dnsPolicy", "ClusterFirst");
  set_default(spec, "schedulerName", "default-scheduler");
  set_default(spec, "securityContext", Json::object());
  // serviceAccount is a deprecated alias of serviceAccountName.
  if (spec.contains("serviceAccountName"))
    spec["serviceAccount"] = spec["serviceAccountName"];
  else if (spec.contains("serviceAccount"))
    spec["serviceAccountName"] = spec["serviceAccount"];
  api::visit_containers(spec, default_container);
  for (Json& volume : api::part_in(spec, "volumes")) default_volume(volume);
}

void default_pods_own(Json& spec) {
  if (api::grace_seconds_in(spec) < 0) spec["terminationGracePeriodSeconds"] = 1;
  api::visit_containers(spec, [](Json& container) {
    Json requests = api::limits_of(container);
    requests.update(api::requests_of(container));
    if (!requests.empty()) container["resources"]["requests"] = std::move(requests);
  });
}

void quantities_to_text(Json& resources) {
  for (const char* list : {"limits", "requests"})
    if (resources.contains(list))
      for (Json& quantity : resources[list])
        if (quantity.is_number()) quantity = quantity.dump();
}

std::string qos_class(const Json& spec) {
  bool any = false, guaranteed = true;
  api::visit_containers(spec, [&](const Json& container) {
    for (const char* name : {"cpu", "memory"}) {
      const Json* limit = kml::find(container, {"resources", "limits", name});
      const Json* request = kml::find(container, {"resources", "requests", name});
      any |= limit || request;
      guaranteed &= limit && request && *limit == *request;
    }
  });
  return !any ? "BestEffort" : guaranteed ? "Guaranteed" : "Burstable";
}

}  // namespace kml::local
