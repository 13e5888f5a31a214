#include "engine/watching/watched_pods.h"

#include <algorithm>
#include <utility>

#include "kml/job/views/disruption.h"
#include "kml/job/views/pod_view.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::engine {

bool WatchedPod::is_pending() const {
  return api::phase_of(object) == "Pending";
}

bool WatchedPod::is_at_work() const {
  return is_running() && !job::is_on_lost_node(object);
}

Time WatchedPod::end(Time now) const {
  if (!has_ended && !is_gone) return now;
  return job::basic_view_of_pod(object).finished.value_or(is_gone ? gone : now);
}

bool WatchedPods::replace_by(WatchedPod& pod) {
  bool any = false;
  for (auto& [uid, other] : *this) {
    const bool is_alike = !other.containers.empty() && other.started && other.rank == pod.rank;
    if (&other == &pod || pod.containers.empty() || !is_alike || other.is_replaced) continue;
    const bool is_later =
        *pod.started > *other.started || (*pod.started == *other.started && other.is_over());
    WatchedPod& earlier = is_later ? other : pod;
    if (!earlier.is_over()) continue;
    earlier.is_replaced = true;
    for (WatchedContainer& container : earlier.containers) container.log.reset();
    any = any || is_later;
  }
  return any;
}

bool WatchedPods::any_runs() const {
  return std::any_of(begin(), end(), [](const auto& entry) { return entry.second.is_running(); });
}

bool WatchedPods::any_is_at_work() const {
  return std::any_of(begin(), end(), [](const auto& entry) { return entry.second.is_at_work(); });
}

bool WatchedPods::any_waits() const {
  return std::any_of(begin(), end(), [](const auto& entry) {
    const WatchedPod& pod = entry.second;
    return !pod.is_gone && !pod.has_ended && !pod.is_at_work();
  });
}

long long WatchedPods::ended() const {
  return std::count_if(begin(), end(), [](const auto& entry) { return entry.second.has_ended; });
}

bool WatchedPods::one_has_succeeded() const {
  return std::any_of(begin(), end(), [](const auto& entry) { return entry.second.has_succeeded; });
}

const WatchedPod* WatchedPods::judged() const {
  const auto key = [](const WatchedPod& pod) {
    const bool failed = api::phase_of(pod.object) == "Failed" && !job::disruption_of(pod.object);
    return std::pair(failed, *pod.started);
  };
  const WatchedPod* last = nullptr;
  for (const auto& [uid, pod] : *this)
    if (pod.started && (!last || key(pod) > key(*last))) last = &pod;
  return last;
}

std::vector<const Json*> WatchedPods::last() const {
  const WatchedPod* judged = this->judged();
  std::vector<const Json*> pods;
  for (const auto& [uid, pod] : *this) {
    const auto disruption = job::disruption_of(pod.object);
    // Times are in whole seconds. A pod that was disrupted in the second in which the judged pod started
    // belongs to an earlier attempt.
    const bool ran_then = !judged || (disruption ? disruption->time > *judged->started
                                                 : pod.end(Time::max()) >= *judged->started);
    if (ran_then || &pod == judged) pods.push_back(&pod.object);
  }
  return pods;
}

std::vector<const Json*> WatchedPods::existing() const {
  std::vector<const Json*> pods;
  for (const auto& [uid, pod] : *this)
    if (!pod.is_gone) pods.push_back(&pod.object);
  return pods;
}

}  // namespace kml::engine
