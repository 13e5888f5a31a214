#include "jobs/logs/container_state.h"

#include "kml/api/object.h"
#include "kml/jobs/views/pod_view.h"

namespace kml::jobs {

namespace {

const Json* status_of(const Json& pod, const std::string& container) {
  for (std::string_view list : {"containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"})
    for (const Json& status : array_at(pod, {"status", list}))
      if (string_at(status, {"name"}) == container) return &status;
  return nullptr;
}

ContainerExit exit_of(const Json& terminated) {
  ContainerExit exit;
  exit.code = static_cast<int>(int_at(terminated, {"exitCode"}));
  exit.signal = static_cast<int>(int_at(terminated, {"signal"}));
  // A shell's way to tell of a signal, which container runtimes share.
  if (exit.signal == 0 && exit.code > 128 && exit.code < 128 + 65) exit.signal = exit.code - 128;
  exit.reason = string_at(terminated, {"reason"});
  exit.message = string_at(terminated, {"message"});
  exit.out_of_memory = exit.reason == "OOMKilled";
  exit.started = api::time_at(terminated, {"startedAt"});
  exit.finished = api::time_at(terminated, {"finishedAt"});
  return exit;
}

}  // namespace

ContainerState container_state(const Json& pod, const std::string& container) {
  ContainerState state;
  const Json* status = status_of(pod, container);
  if (!status) return state;
  state.restarts = static_cast<int>(int_at(*status, {"restartCount"}));
  const Json* terminated = find(*status, {"state", "terminated"});
  const Json* before = find(*status, {"lastState", "terminated"});
  const bool runs = find(*status, {"state", "running"}) != nullptr;
  if (!runs && !terminated) {
    // Between two runs the last one is what the log means; so it does where the next one only is made.
    if (!before) return state;
    terminated = before;
    before = nullptr;
    if (string_at(*status, {"state", "waiting", "reason"}) != "CrashLoopBackOff" && state.restarts > 0 &&
        string_at(*status, {"containerID"}) != string_at(*terminated, {"containerID"}))
      --state.restarts;
  }
  state.ended = terminated != nullptr;
  if (terminated) state.exit = exit_of(*terminated);
  if (before) state.exit_before = exit_of(*before);
  const std::string number = std::to_string(state.restarts);
  state.run = terminated ? string_at(*terminated, {"containerID"}) : "";
  if (state.run.empty()) state.run = string_at(*status, {"containerID"}, "run " + number);
  if (before) state.run_before = string_at(*before, {"containerID"}, "before run " + number);
  return state;
}

std::vector<std::string> containers_of(const Json& pod) {
  std::vector<std::string> names;
  for (std::string_view list : {"initContainers", "containers", "ephemeralContainers"})
    for (const Json& container : array_at(pod, {"spec", list}))
      names.push_back(string_at(container, {"name"}));
  return names;
}

bool is_main_container(const Json& pod, const std::string& container) {
  for (const Json& main : array_at(pod, {"spec", "containers"}))
    if (string_at(main, {"name"}) == container) return true;
  return false;
}

std::string in_words(const ContainerExit& exit) {
  const std::string code = "exit code " + std::to_string(exit.code);
  if (exit.out_of_memory) return "out of memory";
  return exit.signal == 0 ? code : "signal " + std::to_string(exit.signal) + " (" + code + ")";
}

bool ended_badly(const Json& pod) {
  const auto is_bad = [](const std::optional<ContainerExit>& exit) { return exit && exit->is_bad(); };
  const std::vector<std::string> containers = containers_of(pod);
  return string_at(pod, {"status", "phase"}) == "Failed" ||
         std::any_of(containers.begin(), containers.end(), [&](const std::string& container) {
           const ContainerState state = container_state(pod, container);
           return is_bad(state.exit) || is_bad(state.exit_before);
         });
}

}  // namespace kml::jobs
