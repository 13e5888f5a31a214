#include "job/logs/container_state.h"

#include "kml/job/views/pod_view.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

ContainerExit exit_of(const Json& terminated) {
  ContainerExit exit;
  exit.code = api::exit_code_of(terminated);
  exit.signal = api::signal_of(terminated);
  exit.reason = api::reason_of(terminated);
  exit.message = api::message_of(terminated);
  exit.out_of_memory = exit.reason == "OOMKilled";
  exit.started = api::time_at(terminated, {"startedAt"});
  exit.finished = api::time_at(terminated, {"finishedAt"});
  return exit;
}

}  // namespace

ContainerState container_state(const Json& pod, const std::string& container) {
  ContainerState state;
  const Json* status = api::find_container_status(pod, container);
  if (!status) return state;
  state.restarts = static_cast<int>(api::restart_count(*status));
  const Json* terminated = api::terminated_in(*status);
  const Json* before = api::last_terminated_in(*status);
  const bool runs = api::is_running(*status);
  if (!runs && !terminated) {
    // Between two runs, and while the next run is being created, the log is still the last run's log.
    if (!before) return state;
    terminated = before;
    before = nullptr;
    if (api::waiting_reason(*status) != "CrashLoopBackOff" && state.restarts > 0 &&
        api::container_id_of(*status) != api::container_id_of(*terminated))
      --state.restarts;
  }
  state.ended = terminated != nullptr;
  if (terminated) state.exit = exit_of(*terminated);
  if (before) state.exit_before = exit_of(*before);
  const std::string number = std::to_string(state.restarts);
  state.run = terminated ? api::container_id_of(*terminated) : "";
  if (state.run.empty()) state.run = api::container_id_of(*status, "run " + number);
  if (before) state.run_before = api::container_id_of(*before, "before run " + number);
  return state;
}

std::vector<std::string> containers_of(const Json& pod) {
  std::vector<std::string> names;
  for (std::string_view list : {"initContainers", "containers", "ephemeralContainers"})
    for (const Json& container : api::containers_of(pod, list)) names.push_back(api::entry_name(container));
  return names;
}

bool is_main_container(const Json& pod, const std::string& container) {
  for (const Json& main : api::containers_of(pod))
    if (api::entry_name(main) == container) return true;
  return false;
}

std::string in_words(const ContainerExit& exit) {
  const std::string code = "exit code " + std::to_string(exit.code);
  if (exit.out_of_memory) return "out of memory";
  if (exit.signal != 0) return code + " (signal " + std::to_string(exit.signal) + ")";
  const int signal = api::signal_in(exit.code);
  return signal == 0 ? code : code + " (as after signal " + std::to_string(signal) + ")";
}

bool ended_badly(const Json& pod) {
  const auto is_bad = [](const std::optional<ContainerExit>& exit) { return exit && exit->is_bad(); };
  const std::vector<std::string> containers = containers_of(pod);
  return api::phase_of(pod) == "Failed" ||
         std::any_of(containers.begin(), containers.end(), [&](const std::string& container) {
           const ContainerState state = container_state(pod, container);
           return is_bad(state.exit) || is_bad(state.exit_before);
         });
}

}  // namespace kml::job
