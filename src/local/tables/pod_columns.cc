#include <fmt/format.h>

#include <algorithm>

#include "kml/api/pod.h"
#include "local/store/object.h"
#include "local/tables/table_columns.h"

namespace kml::local {

namespace {

/// How a container's end is called: its reason, or what it ended with.
std::string end_of(const Json& terminated) {
  if (std::string reason = string_at(terminated, {"reason"}); !reason.empty()) return reason;
  if (int64_t signal = int_at(terminated, {"signal"})) return fmt::format("Signal:{}", signal);
  return fmt::format("ExitCode:{}", int_at(terminated, {"exitCode"}));
}

/// What the columns READY, STATUS and RESTARTS tell.
struct PodSummary {
  size_t ready = 0;
  int64_t restarts = 0;
  std::string status, last_restart;

  explicit PodSummary(const Json& pod) : status(string_at(pod, {"status", "reason"}, phase_of(pod))) {
    if (api::condition(pod, "PodScheduled").reason() == "SchedulingGated") status = "SchedulingGated";
    const bool initializing = read_init_containers(pod);
    if (!initializing || api::condition_is_true(pod, "Initialized")) {
      restarts = 0;
      last_restart.clear();
      read_containers(pod);
    }
    if (is_being_deleted(pod) && !pod_has_ended(pod)) status = "Terminating";
  }

 private:
  void count_restarts(const Json& container) {
    restarts += int_at(container, {"restartCount"});
    last_restart = std::max(last_restart, string_at(container, {"lastState", "terminated", "finishedAt"}));
  }

  /// Whether one of them has not ended well yet.
  bool read_init_containers(const Json& pod) {
    const Json& containers = array_at(pod, {"status", "initContainerStatuses"});
    for (size_t i = 0; i < containers.size(); ++i) {
      const Json& container = containers[i];
      count_restarts(container);
      const Json* ended = kml::find(container, {"state", "terminated"});
      if (ended && int_at(*ended, {"exitCode"}) == 0) continue;
      const std::string waits_for = string_at(container, {"state", "waiting", "reason"});
      if (ended)
        status = "Init:" + end_of(*ended);
      else if (!waits_for.empty() && waits_for != "PodInitializing")
        status = "Init:" + waits_for;
      else
        status = fmt::format("Init:{}/{}", i, array_at(pod, {"spec", "initContainers"}).size());
      return true;
    }
    return false;
  }

  void read_containers(const Json& pod) {
    const Json& containers = array_at(pod, {"status", "containerStatuses"});
    for (auto container = containers.rbegin(); container != containers.rend(); ++container) {
      count_restarts(*container);
      if (std::string reason = string_at(*container, {"state", "waiting", "reason"}); !reason.empty())
        status = reason;
      else if (const Json* ended = kml::find(*container, {"state", "terminated"}))
        status = end_of(*ended);
      else if (bool_at(*container, {"ready"}) && kml::find(*container, {"state", "running"}))
        ++ready;
    }
    if (status == "Completed" && ready > 0)
      status = api::condition_is_true(pod, "Ready") ? "Running" : "NotReady";
  }
};

Json pod_cells(const Json& pod, Time now) {
  const PodSummary summary(pod);
  std::string restarts = std::to_string(summary.restarts);
  if (summary.restarts > 0 && !summary.last_restart.empty())
    restarts += fmt::format(" ({} ago)", age_since(summary.last_restart, now));
  return {name_of(pod),
          fmt::format("{}/{}", summary.ready, api::containers_of(pod).size()),
          summary.status,
          restarts,
          age_of(pod, now),
          or_none(string_at(pod, {"status", "podIP"})),
          or_none(api::node_of(pod)),
          or_none(string_at(pod, {"status", "nominatedNodeName"})),
          "<none>"};
}

}  // namespace

const TableColumns kPodColumns{{{.name = "Name", .format = "name"},
                                {"Ready"},
                                {"Status"},
                                {"Restarts"},
                                {"Age"},
                                {"IP", true},
                                {"Node", true},
                                {"Nominated Node", true},
                                {"Readiness Gates", true}},
                               pod_cells};

}  // namespace kml::local
