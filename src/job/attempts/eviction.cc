#include "job/attempts/eviction.h"

#include <algorithm>
#include <chrono>

#include "job/capacity/kueue_api.h"
#include "kml/job/capacity/workloads.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

/// How often the Workload was evicted in total.
long long evictions(const Json& workload) {
  long long all = 0;
  for (const Json& one : array_at(workload, {"status", "schedulingStats", "evictions"}))
    all += int_at(one, {"count"});
  return all;
}

}  // namespace

std::optional<Disruption> eviction_of(const Json& workload, const std::vector<Json>& preemptors) {
  const api::Condition evicted = api::condition(workload, "Evicted");
  if (!evicted.is_true() || evicted.reason() != "Preempted" || !evicted.since()) return {};
  Disruption disruption{.time = *evicted.since(), .reason = std::string(kPreempted)};
  disruption.uid = api::uid_of(workload) + "/" + std::to_string(evictions(workload));
  // Kueue reports the total time of all runs.
  if (const long long seconds = int_at(workload, {"status", "accumulatedPastExecutionTimeSeconds"});
      seconds > 0 && evictions(workload) == 1)
    disruption.start = disruption.time - std::chrono::seconds(seconds);
  const auto by = std::find_if(preemptors.begin(), preemptors.end(), [&](const Json& other) {
    return evicted.message().find("(UID: " + api::uid_of(other) + ",") != std::string::npos;
  });
  if (by == preemptors.end()) return disruption;
  const Json* owner = api::controller_of(*by);
  const std::string name = owner ? api::entry_name(*owner) : api::name_of(*by);
  const bool is_near = api::namespace_of(*by) == api::namespace_of(workload);
  disruption.by = is_near ? name : api::namespace_of(*by) + "/" + name;
  return disruption;
}

std::optional<Disruption> read_eviction(kube::Client& client, const Json& job) {
  const Workloads own = read_workloads(client, api::namespace_of(job), {&job, 1});
  const Json* workload = own.of(job);
  if (!workload || !eviction_of(*workload, {})) return {};
  try {
    return eviction_of(*workload, client.list(KueueApi(client).workload(), "").items);
  } catch (const Error& error) {
    if (error.http_status != 403) throw;
    return eviction_of(*workload, {});
  }
}

}  // namespace kml::job
