#include "job/views/lost_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kml/base/text.h"
#include "kml/job/kinds/state.h"
#include "kml/job/views/find.h"
#include "kml/job/views/job_view.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/pod_view.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

/// "node n1", or "nodes n1, n2 and 3 more".
std::string counted_names(const char* kind, const std::set<std::string>& names) {
  constexpr size_t kNamed = 3;
  return fmt::format("{}{} {}", kind, names.size() == 1 ? "" : "s",
                     some_of(std::vector<std::string>(names.begin(), names.end()), kNamed));
}

/// Whether the job's own status shows that no pod can be on a node that does not answer: every pod of the
/// job reports that it is ready, or the job has none.
bool all_pods_answer(const Json& job) {
  if (!is_plain_job(job)) return has_ended(state_of(job, true));
  const long long there = api::active_pods(job) + int_at(job, {"status", "terminating"});
  return int_at(job, {"status", "ready"}) == there;
}

}  // namespace

void LostPods::look_at(const Json& pod) {
  if (!is_on_lost_node(pod)) return;
  pods.insert(api::name_of(pod));
  nodes.insert(api::node_of(pod));
  const std::optional<Time> time = api::condition(pod, "Ready").since();
  if (time && (!since || *time < *since)) since = time;
}

std::string LostPods::brief() const {
  return fmt::format("{} {} not answer: {} may still run", counted_names("node", nodes),
                     nodes.size() == 1 ? "does" : "do", counted_names("pod", pods));
}

std::string LostPods::in_words(Time now) const {
  const bool is_one = nodes.size() == 1;
  const std::string when = since ? fmt::format("{} not answered since {} ({})", is_one ? "has" : "have",
                                               rfc3339(*since), short_duration(now - *since))
                                 : fmt::format("{} not answer", is_one ? "does" : "do");
  return fmt::format("{} {}: {} may still run until the {} again or {} removed from the cluster",
                     counted_names("node", nodes), when, counted_names("pod", pods),
                     is_one ? "node answers" : "nodes answer", is_one ? "is" : "are");
}

LostPods lost_pods_among(std::span<const Json* const> pods) {
  LostPods lost;
  for (const Json* pod : pods) lost.look_at(*pod);
  return lost;
}

LostPods lost_pods_of(kube::Client& client, const std::vector<Json>& jobs) {
  constexpr size_t kMostAskedSingly = 10;
  std::vector<const Json*> unsure;
  for (const Json& job : jobs)
    if (!all_pods_answer(job)) unsure.push_back(&job);
  LostPods lost;
  if (unsure.empty()) return lost;
  if (unsure.size() > kMostAskedSingly) {
    const PodsByJob pods = list_pods(client, api::namespace_of(*unsure[0]));
    for (const Json* job : unsure)
      for (const Json* pod : pods.of(*job)) lost.look_at(*pod);
    return lost;
  }
  for (const Json* job : unsure)
    for (const Json& pod : pods_of(client, *job)) lost.look_at(pod);
  return lost;
}

}  // namespace kml::job
