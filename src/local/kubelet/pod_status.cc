#include "local/kubelet/pod_status.h"

#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/usage.h"
#include "local/shim/status_file.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

/// Adds the fields of v1.ContainerStatus that the shim does not know, and removes fields that only the shim
/// uses.
Json with_images(Json statuses, const Json& containers) {
  for (Json& status : statuses) {
    status.erase(kKeeper);
    status.erase(kUsed);
    status.erase(kUnhealthy);
    for (const Json& container : containers)
      if (api::entry_name(container) == api::entry_name(status))
        status.update({{"image", api::image_of(container)}, {"imageID", ""}});
  }
  return statuses;
}

/// Stores the resource usage in an annotation, where it is still available after the pod has ended.
void note_usage(Json& pod, const Json& shim) {
  Json used = Json::object();
  for (const char* group : {"initContainerStatuses", "containerStatuses"})
    for (const Json& status : array_at(shim, {group}))
      if (const Json* by_it = find(status, {kUsed}))
        // The value is parsed and built again, because the pod's program may have changed the file.
        used[api::entry_name(status)] = to_json(api::container_usage_from_json(*by_it));
  if (!used.empty()) api::set_annotation(pod, api::kUsage, used.dump());
}

/// Sets the conditions that describe the state of the pod's containers.
void set_ready(Json& pod, bool ready, std::string_view reason, Time now) {
  const std::string time = rfc3339(now);
  const bool initialized = phase_of(pod) != "Pending";
  set_condition(pod, "Initialized", initialized, initialized ? "" : "ContainersNotInitialized", "", time);
  set_condition(pod, "ContainersReady", ready, reason, "", time);
  set_condition(pod, "Ready", ready, reason, "", time);
}

/// Sets the pod's reason, if it is known why the server ended the pod.
void set_reason(Json& pod, const std::string& reason) {
  const bool is_late = reason == "DeadlineExceeded";
  set_said(pod["status"],
           {{"reason", reason},
            {"message", is_late ? "Pod was active on the node longer than the specified deadline" : ""}});
}

/// Marks the pod and its containers as failed, with unknown exit codes.
void fail_unseen(Json& pod, Time now) {
  Json& status = pod["status"];
  status["phase"] = "Failed";
  const Json terminated = {{"exitCode", 137},
                           {"reason", "ContainerStatusUnknown"},
                           {"message", "The container could not be located when the pod was terminated"},
                           {"finishedAt", rfc3339(now)}};
  for (Json& container : api::part_in(status, "containerStatuses"))
    if (!api::terminated_in(container))
      container.update({{"state", {{"terminated", terminated}}}, {"ready", false}, {"started", false}});
  set_ready(pod, false, "PodFailed", now);
}

}  // namespace

bool says_ended(const Json& shim_status) {
  const std::string phase = string_at(shim_status, {"phase"});
  return phase == "Succeeded" || phase == "Failed";
}

void apply_shim_status(Json& pod, const Json& shim, const std::string& reason, Time now) {
  std::string phase = string_at(shim, {"phase"}, "Pending");
  // As in the kubelet, a pod that was ended (at its deadline, for example) has failed, whatever its exit code
  // is.
  if (!reason.empty() && phase == "Succeeded") phase = "Failed";
  const bool completed = phase == "Succeeded", failed = phase == "Failed";
  note_usage(pod, shim);
  Json& status = pod["status"];
  status["phase"] = std::move(phase);
  bool ready = true;
  for (const char* group : {"containerStatuses", "initContainerStatuses"}) {
    if (!shim.contains(group)) continue;
    const char* containers = std::string_view(group) == "containerStatuses" ? "containers" : "initContainers";
    status[group] = with_images(shim[group], api::containers_of(pod, containers));
  }
  for (const Json& container : api::container_statuses(pod)) ready = ready && api::is_ready(container);
  set_ready(pod, ready,
            completed ? "PodCompleted"
            : failed  ? "PodFailed"
            : ready   ? ""
                      : "ContainersNotReady",
            now);
  if (failed) set_reason(pod, reason);
}

void apply_lost(Json& pod, Time now) {
  fail_unseen(pod, now);
  pod["status"].update({{"reason", "SupervisorLost"}, {"message", "kml's process for this pod was killed"}});
  set_condition(
      pod, "DisruptionTarget", true, "TerminationByKubelet",
      "kml's process for this pod was killed, and with it the pod's own processes: by a signal, for "
      "lack of memory, or because the machine was restarted",
      rfc3339(now));
}

void apply_stopped(Json& pod, const std::string& reason, Time now) {
  fail_unseen(pod, now);
  set_reason(pod, reason);
}

void apply_never_started(Json& pod, Time now) {
  pod["status"]["phase"] = "Failed";
  set_ready(pod, false, "PodFailed", now);
}

void apply_waiting(Json& pod, const std::string& reason, const std::string& message, Time now) {
  Json statuses = Json::array();
  for (const Json& container : api::containers_of(pod))
    statuses.push_back({{"name", api::entry_name(container)},
                        {"image", api::image_of(container)},
                        {"imageID", ""},
                        {"state", {{"waiting", {{"reason", reason}, {"message", message}}}}},
                        {"lastState", Json::object()},
                        {"ready", false},
                        {"restartCount", 0}});
  pod["status"]["containerStatuses"] = std::move(statuses);
  set_ready(pod, false, "ContainersNotReady", now);
}

}  // namespace kml::local
