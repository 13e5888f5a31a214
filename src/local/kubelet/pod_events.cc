#include "local/kubelet/pod_events.h"

#include <utility>

#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "local/kubelet/cgroup_site.h"
#include "local/shim/status_file.h"

namespace kml::local {

void tell_changes(EventRecorder& events, const Json& before, const Json& after) {
  for (const char* group : {"initContainerStatuses", "containerStatuses"}) {
    const Json& old = api::container_statuses(before, group);
    const Json& now = api::container_statuses(after, group);
    for (size_t i = 0; i < now.size(); ++i) {
      const Json& state = now[i].at("state");
      const Json was = i < old.size() ? old[i].value("state", Json::object()) : Json::object();
      if (state == was) continue;
      const std::string name = api::entry_name(now[i]);
      const Json* ended = api::terminated_in(now[i]);
      if (ended && api::reason_of(*ended) == "StartError")
        events.record(after, "Warning", "Failed", "Error: " + api::message_of(*ended), kKubelet);
      else if (state.contains("running") || (state.contains("terminated") && !was.contains("running")))
        events.record(after, "Normal", "Started", "Started container " + name, kKubelet);
      if (api::waiting_reason(now[i]) == "CrashLoopBackOff")
        events.record(after, "Warning", "BackOff", api::waiting_message(now[i]), kKubelet);
    }
  }
}

void tell_of_limits(EventRecorder& events, const Json& pod, const PodPlan& plan,
                    const std::vector<CgroupRoot>& cgroups) {
  if (has_controller(cgroups, "memory")) return;
  for (const auto* group : {&plan.init_containers, &plan.containers})
    for (const ContainerPlan& container : *group)
      if (container.memory_limit > 0)
        return events.record(pod, "Warning", "MemoryLimitNotEnforced",
                             "resources.limits.memory is not enforced: this user may not create cgroups "
                             "with a memory controller on this machine",
                             kKubelet);
}

void tell_of_probes(EventRecorder& events, const Json& pod, const Json& shim_status, std::string& last) {
  std::string problem;
  for (const Json& container : array_at(shim_status, {"containerStatuses"}))
    if (problem.empty()) problem = string_at(container, {kUnhealthy});
  if (std::exchange(last, problem) != problem && !problem.empty())
    events.record(pod, "Warning", "Unhealthy", problem, kKubelet);
}

}  // namespace kml::local
