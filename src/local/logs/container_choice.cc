#include "local/logs/container_choice.h"

#include <fmt/format.h>

#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "local/api/api_error.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

std::string names_in(const Json& pod, const char* list) {
  std::string names;
  for (const Json& container : api::containers_of(pod, list))
    names += (names.empty() ? "" : " ") + api::entry_name(container);
  return names;
}

bool has(const Json& pod, const char* list, const std::string& name) {
  for (const Json& container : api::containers_of(pod, list))
    if (api::entry_name(container) == name) return true;
  return false;
}

/// k8s.io/kubernetes/pkg/registry/core/pod/strategy.go, LogLocation.
std::string container_name(const Json& pod, const std::string& asked) {
  const Json& containers = api::containers_of(pod);
  if (asked.empty()) {
    if (containers.size() == 1) return api::entry_name(containers[0]);
    const std::string init = names_in(pod, "initContainers");
    throw bad_request(fmt::format("a container name must be specified for pod {}, choose one of: [{}]{}",
                                  name_of(pod), names_in(pod, "containers"),
                                  init.empty() ? "" : " or one of the init containers: [" + init + "]"));
  }
  if (!has(pod, "containers", asked) && !has(pod, "initContainers", asked))
    throw bad_request(fmt::format("container {} is not valid for pod {}", asked, name_of(pod)));
  return asked;
}

const Json* status_of(const Json& pod, const std::string& container) {
  for (const char* list : {"containerStatuses", "initContainerStatuses"})
    for (const Json& status : api::container_statuses(pod, list))
      if (api::entry_name(status) == container) return &status;
  return nullptr;
}

Error waiting(const Json& pod, const std::string& container, const Json* status) {
  const std::string reason = status ? api::waiting_reason(*status) : "";
  return bad_request(fmt::format("container \"{}\" in pod \"{}\" is waiting to start: {}", container,
                                 name_of(pod), reason.empty() ? "ContainerCreating" : reason));
}

}  // namespace

/// k8s.io/kubernetes/pkg/kubelet/kubelet_pods.go, validateContainerLogStatus.
ContainerRun choose_container(const Json& pod, const std::string& asked, bool previous) {
  ContainerRun run{container_name(pod, asked)};
  const Json* status = status_of(pod, run.container);
  const int restarts = status ? static_cast<int>(api::restart_count(*status)) : 0;
  const bool ran_before = status && api::last_terminated_in(*status);
  if (previous) {
    if (!ran_before || restarts == 0)
      throw bad_request(fmt::format("previous terminated container \"{}\" in pod \"{}\" not found",
                                    run.container, name_of(pod)));
    return {run.container, restarts - 1, true};
  }
  run.restart = restarts;
  run.terminated = pod_has_ended(pod) || (status && api::terminated_in(*status));
  const bool running = status && kml::find(*status, {"state", "running"});
  if (running || run.terminated) return run;
  if (!ran_before) throw waiting(pod, run.container, status);
  run.terminated = true;  // the container is between two runs, so the log of the last run is used
  return run;
}

bool has_ended(const Json& pod, const ContainerRun& run) {
  if (pod_has_ended(pod)) return true;
  const Json* status = status_of(pod, run.container);
  return status && (api::restart_count(*status) > run.restart || !kml::find(*status, {"state", "running"}));
}

}  // namespace kml::local
