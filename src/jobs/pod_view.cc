#include "kml/jobs/pod_view.h"

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

bool pod_has_ended(const Json& pod) {
  const std::string phase = string_at(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

PodView basic_view_of_pod(const Json& pod) {
  PodView view;
  view.name = string_at(pod, {"metadata", "name"});
  view.phase = string_at(pod, {"status", "phase"}, "Pending");
  view.node = string_at(pod, {"spec", "nodeName"});
  view.started = time_at(pod, {"status", "startTime"});
  bool ended = pod_has_ended(pod);
  for (std::string_view list : {"initContainerStatuses", "containerStatuses"})
    for (const Json& container : array_at(pod, {"status", list})) {
      const Json* terminated = find(container, {"state", "terminated"});
      if (!terminated) continue;
      if (list == "containerStatuses")
        view.finished = std::max(view.finished, time_at(*terminated, {"finishedAt"}));
      int code = static_cast<int>(int_at(*terminated, {"exitCode"}));
      if (view.exit_code && (*view.exit_code != 0 || code == 0)) continue;
      if (list == "initContainerStatuses" && code == 0) continue;
      view.exit_code = code;
    }
  if (!string_at(pod, {"metadata", "deletionTimestamp"}).empty() && !ended) view.phase = "Stopping";
  return view;
}

}  // namespace kml::jobs
