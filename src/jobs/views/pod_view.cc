#include "kml/jobs/views/pod_view.h"

#include "kml/api/object.h"
#include "kml/api/pod.h"
namespace kml::jobs {

std::string short_scheduler_message(std::string_view message) {
  constexpr std::string_view kNodes = " nodes are available: ";
  if (size_t at = message.find(kNodes); at != std::string_view::npos)
    message.remove_prefix(at + kNodes.size());
  for (std::string_view tail : {". preemption:", ". no new claims", ". not found"})
    if (size_t at = message.find(tail); at != std::string_view::npos) message = message.substr(0, at);
  while (message.ends_with('.')) message.remove_suffix(1);
  return std::string(message);
}

PodView basic_view_of_pod(const Json& pod) {
  PodView view;
  view.name = api::name_of(pod);
  view.phase = api::phase_of(pod);
  view.node = api::node_of(pod);
  view.started = api::started_at(pod);
  bool ended = api::pod_has_ended(pod);
  for (std::string_view list : {"initContainerStatuses", "containerStatuses"})
    for (const Json& container : array_at(pod, {"status", list})) {
      const Json* terminated = find(container, {"state", "terminated"});
      if (!terminated) continue;
      if (list == "containerStatuses")
        view.finished = std::max(view.finished, api::time_at(*terminated, {"finishedAt"}));
      int code = static_cast<int>(int_at(*terminated, {"exitCode"}));
      if (view.exit_code && (*view.exit_code != 0 || code == 0)) continue;
      if (list == "initContainerStatuses" && code == 0) continue;
      view.exit_code = code;
    }
  if (api::is_being_deleted(pod) && !ended) view.phase = "Stopping";
  return view;
}

}  // namespace kml::jobs
