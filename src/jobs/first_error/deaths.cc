#include <algorithm>

#include "jobs/first_error/end_kind.h"
#include "jobs/logs/container_state.h"
#include "jobs/logs/sources.h"
#include "kml/api/condition.h"
#include "kml/jobs/first_error/first_error.h"
#include "kml/jobs/views/pod_view.h"
#include "kml/jobs/why/explained_view.h"

namespace kml::jobs {

namespace {

/// `disruption` says why the node or the scheduler wanted the pod gone; empty where they did not.
void add(std::vector<Death>& deaths, const LogSource& source, const std::optional<ContainerExit>& exit,
         const std::string& disruption) {
  if (!exit || !exit->is_bad()) return;
  deaths.push_back({source, source.rank, *exit, kind_of(*exit, !disruption.empty()), exit->code});
  if (!disruption.empty()) deaths.back().exit.reason = disruption;
}

/// The node evicts a pod that fills its volume without that condition.
std::string disruption_of(const Json& pod) {
  const bool evicted = string_at(pod, {"status", "reason"}) == "Evicted";
  if (!api::condition_is_true(pod, "DisruptionTarget") && !evicted) return {};
  const std::string cause = view_of_pod(pod).cause;
  return cause.empty() ? "disrupted" : cause;
}

/// A pod that failed as a whole: its node was lost, or evicted it.
void add_failed_pod(std::vector<Death>& deaths, const Json& pod, const LogSource& source) {
  const PodView view = view_of_pod(pod);
  if (view.phase != "Failed") return;
  ContainerExit exit;
  exit.reason = view.cause.empty() ? "Failed" : view.cause;
  const api::Condition disruption = api::condition(pod, "DisruptionTarget");
  exit.finished = disruption ? disruption.since() : view.started;
  deaths.push_back({source, source.rank, exit, EndKind::killed, 0});
}

}  // namespace

std::vector<Death> deaths_of(const Json& job, std::vector<Json> pods) {
  sort_by_age(pods);
  const LogSelection all;
  Sources sources(all);
  std::vector<Death> deaths;
  for (const Json& pod : pods) {
    const std::string disruption = disruption_of(pod);
    const size_t before = deaths.size();
    const std::vector<LogSource> containers = sources.of(pod, &job);
    for (LogSource source : containers) {
      const ContainerState state = container_state(pod, source.container);
      source.restart = std::max(state.restarts - 1, 0);
      add(deaths, source, state.exit_before, disruption);
      source.restart = state.restarts;
      add(deaths, source, state.exit, disruption);
    }
    if (deaths.size() == before && !containers.empty()) add_failed_pod(deaths, pod, containers.back());
  }
  return deaths;
}

}  // namespace kml::jobs
