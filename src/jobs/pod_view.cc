#include "kml/jobs/pod_view.h"

#include "kml/core/text.h"

namespace kml::jobs {

std::optional<Time> time_at(const Json& object, std::initializer_list<std::string_view> path) {
  std::string text = string_at(object, path);
  return text.empty() ? std::nullopt : parse_rfc3339(text);
}

const Json* condition(const Json& object, std::string_view type) {
  for (const Json& condition : array_at(object, {"status", "conditions"}))
    if (string_at(condition, {"type"}) == type) return &condition;
  return nullptr;
}

bool condition_is_true(const Json& object, std::string_view type) {
  const Json* found = condition(object, type);
  return found && string_at(*found, {"status"}) == "True";
}

std::string short_scheduler_message(std::string_view message) {
  constexpr std::string_view kNodes = " nodes are available: ";
  if (size_t at = message.find(kNodes); at != std::string_view::npos)
    message.remove_prefix(at + kNodes.size());
  for (std::string_view tail : {". preemption:", ". no new claims", ". not found"})
    if (size_t at = message.find(tail); at != std::string_view::npos) message = message.substr(0, at);
  while (message.ends_with('.')) message.remove_suffix(1);
  return std::string(message);
}

namespace {

std::string with_message(const std::string& reason, const std::string& message) {
  return message.empty() ? reason : reason.empty() ? message : reason + ": " + message;
}

std::string exit_cause(const Json& terminated) {
  std::string reason = string_at(terminated, {"reason"});
  std::string message(trim(string_at(terminated, {"message"})));
  long long code = int_at(terminated, {"exitCode"});
  if (reason == "OOMKilled") return "out of memory";
  if (code == 0) return {};
  std::string text = "exit code " + std::to_string(code);
  if (code > 128 && code < 128 + 65) text += " (signal " + std::to_string(code - 128) + ")";
  if (reason != "Error" && !reason.empty()) text = reason;
  return with_message(text, message);
}

std::string waiting_cause(const Json& waiting) {
  std::string reason = string_at(waiting, {"reason"});
  if (reason == "ContainerCreating" || reason == "PodInitializing") return "starting";
  return with_message(reason, string_at(waiting, {"message"}));
}

std::string pending_cause(const Json& pod) {
  if (const Json* scheduled = condition(pod, "PodScheduled");
      scheduled && string_at(*scheduled, {"status"}) == "False") {
    if (string_at(*scheduled, {"reason"}) == "SchedulingGated") return "held by a scheduling gate";
    if (!string_at(pod, {"status", "nominatedNodeName"}).empty())
      return "next: waits for lower-priority jobs to stop";
    return short_scheduler_message(string_at(*scheduled, {"message"}));
  }
  return {};
}

}  // namespace

PodView view_of_pod(const Json& pod) {
  PodView view;
  view.name = string_at(pod, {"metadata", "name"});
  view.phase = string_at(pod, {"status", "phase"}, "Pending");
  view.node = string_at(pod, {"spec", "nodeName"});
  view.started = time_at(pod, {"status", "startTime"});
  bool ended = view.phase == "Succeeded" || view.phase == "Failed";
  for (std::string_view list : {"initContainerStatuses", "containerStatuses"})
    for (const Json& container : array_at(pod, {"status", list})) {
      if (const Json* waiting = find(container, {"state", "waiting"});
          waiting && !ended && view.cause.empty())
        view.cause = waiting_cause(*waiting);
      const Json* terminated = find(container, {"state", "terminated"});
      if (!terminated) continue;
      if (list == "containerStatuses")
        view.finished = std::max(view.finished, time_at(*terminated, {"finishedAt"}));
      int code = static_cast<int>(int_at(*terminated, {"exitCode"}));
      if (view.exit_code && (*view.exit_code != 0 || code == 0)) continue;
      if (list == "initContainerStatuses" && code == 0) continue;
      view.exit_code = code;
      if (code != 0) view.cause = exit_cause(*terminated);
    }
  if (view.phase == "Pending")
    if (std::string cause = pending_cause(pod); !cause.empty()) view.cause = cause;
  if (condition_is_true(pod, "DisruptionTarget")) {
    const Json& disruption = *condition(pod, "DisruptionTarget");
    const std::string reason = string_at(disruption, {"reason"});
    view.cause = reason == "PreemptionByScheduler"
                     ? "preempted by a job of higher priority"
                     : "stopped by the node: " + with_message(reason, string_at(disruption, {"message"}));
  } else if (std::string reason = string_at(pod, {"status", "reason"});
             view.phase == "Failed" && !reason.empty()) {
    view.cause = reason == "DeadlineExceeded" ? "ended at its deadline"
                                              : with_message(reason, string_at(pod, {"status", "message"}));
  }
  if (!string_at(pod, {"metadata", "deletionTimestamp"}).empty() && !ended) view.phase = "Stopping";
  return view;
}

}  // namespace kml::jobs
