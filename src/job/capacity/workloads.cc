#include "kml/job/capacity/workloads.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "job/capacity/brief_workloads.h"
#include "job/capacity/kueue_api.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

/// The annotation that allows Kueue to admit a job with fewer pods than it asked for.
constexpr std::string_view kMinParallelism = "kueue.x-k8s.io/job-min-parallelism";

}  // namespace

Workloads::Workloads(std::vector<Json> workloads) {
  for (Json& workload : workloads)
    if (const Json* owner = api::controller_of(workload)) {
      const std::string uid = api::entry_uid(*owner);
      // A job that Kueue can scale has one Workload per size; all but one of them have finished.
      const auto known = by_owner_.find(uid);
      if (known == by_owner_.end() || api::condition_is_true(known->second, "Finished"))
        by_owner_[uid] = std::move(workload);
    }
}

const Json* Workloads::of(const Json& job) const {
  const auto found = by_owner_.find(api::uid_of(job));
  return found == by_owner_.end() ? nullptr : &found->second;
}

Workloads Workloads::of_cluster_without_kueue() {
  Workloads none;
  none.lacks_kueue_ = true;
  return none;
}

State state_of(const Json& job, bool any_pod_runs, const Json* workload) {
  const State state = state_of(job, any_pod_runs);
  const bool is_held = state == State::waiting && api::is_suspended(job) && workload && !is_active(*workload);
  return is_held ? State::suspended : state;
}

bool is_held_in_queue(const Json& job) {
  return api::is_suspended(job) && !api::label_of(job, api::kKueueQueue).empty();
}

Time order_of_workload(const Json& workload) {
  if (const api::Condition evicted = api::condition(workload, "Evicted"); evicted.is_true()) {
    const std::string reason = evicted.reason();
    if (reason == "PodsReadyTimeout" || reason == "AdmissionCheck")
      if (const auto time = evicted.since()) return *time;
  }
  return api::created_at(workload).value_or(Time());
}

bool is_before_in_queue(const Json& a, const Json& b) {
  const auto rank = [](const Json& workload) {
    return std::tuple(-api::priority_of(workload), order_of_workload(workload), api::uid_of(workload));
  };
  return rank(a) < rank(b);
}

std::vector<Json> list_workloads_of(kube::Client& client, const KueueApi& kueue, const Json& job) {
  return client.list(kueue.workload(), api::namespace_of(job), {kJobUidLabel + ("=" + api::uid_of(job)), {}})
      .items;
}

Workloads read_workloads(kube::Client& client, const std::string& namespace_name,
                         std::span<const Json> jobs) try {
  const auto is_open = [](const Json& job) {
    const bool is_held = is_held_in_queue(job) && api::annotation_of(job, api::kCancelled).empty();
    return is_held || !api::annotation_of(job, kMinParallelism).empty();
  };
  const auto open = std::count_if(jobs.begin(), jobs.end(), is_open);
  if (open == 0) return {};
  const KueueApi kueue(client);
  if (open == 1)
    return Workloads(list_workloads_of(client, kueue, *std::find_if(jobs.begin(), jobs.end(), is_open)));
  std::set<std::string> uids;
  for (const Json& job : jobs)
    if (is_open(job)) uids.insert(api::uid_of(job));
  std::vector<Json> found;
  const auto error = each_workload(client, kueue.workload(), namespace_name, [&](Json workload) {
    const Json* owner = api::controller_of(workload);
    if (owner && uids.contains(api::entry_uid(*owner))) found.push_back(std::move(workload));
  });
  if (error) throw Error(*error);
  return Workloads(std::move(found));
} catch (const Error& error) {
  if (error.http_status == 404) return Workloads::of_cluster_without_kueue();
  if (error.http_status != 403) throw;
  return {};
}

}  // namespace kml::job
