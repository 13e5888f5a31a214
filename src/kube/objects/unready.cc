#include "kml/kube/objects/unready.h"

#include <fmt/format.h>

#include "kml/kube/objects/container.h"
#include "kml/kube/objects/crash_loop.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::api {

namespace {

std::string problem_of_container(const Json& status) {
  const std::string reason = waiting_reason(status), message = waiting_message(status);
  if (reason.empty()) return is_running(status) ? "runs, but is not ready" : "starts";
  return "is waiting: " + (message.empty() ? reason : message);
}

}  // namespace

Unready why_unready(const Json& pod) {
  const Condition scheduled = condition(pod, "PodScheduled");
  const Json& statuses = container_statuses(pod);
  const std::string start = "pod " + name_of(pod) + " ";
  if (scheduled && !scheduled.is_true()) return {start + "is waiting: " + scheduled.message()};
  if (statuses.empty()) return {start + "starts"};
  const bool is_hopeless = is_in_crash_loop(pod, statuses[0]);
  const Json* ended = last_crash(statuses[0]);
  if (is_hopeless && ended)
    return {fmt::format("{}crashed with exit code {}", start, exit_code_of(*ended)), true};
  return {start + problem_of_container(statuses[0]), is_hopeless};
}

}  // namespace kml::api
