#include "job/attempts/eviction.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "job/attempts/merge.h"
#include "job/capacity/brief_workloads.h"
#include "job/capacity/kueue_api.h"
#include "kml/job/capacity/workloads.h"
#include "kml/kube/objects/labels.h"
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

/// When and why the Workload was last evicted. If the Workload was admitted again, its condition no longer
/// shows the eviction.
struct Eviction {
  Time time;
  std::string reason;
};

std::optional<Eviction> last_eviction(const Json& workload) {
  const api::Condition evicted = api::condition(workload, "Evicted");
  if (evicted.is_true() && evicted.since()) return Eviction{*evicted.since(), evicted.reason()};
  if (evictions(workload) != 1) return {};
  // A preempted Workload is queued again at once. A Workload that was evicted for another reason is queued
  // again after a while.
  const api::Condition requeued = api::condition(workload, "Requeued");
  for (const Json& one : array_at(workload, {"status", "schedulingStats", "evictions"}))
    if (int_at(one, {"count"}) == 1 && requeued.since() && requeued.reason() == api::reason_of(one))
      return Eviction{*requeued.since(), requeued.reason()};
  return {};
}

/// Whether the Workload was ever evicted. Older versions of Kueue do not count evictions (schedulingStats),
/// but keep the condition, as False, once the Workload is admitted again.
bool was_evicted(const Json& workload) {
  return evictions(workload) > 0 || api::condition(workload, "Evicted") ||
         past_admitted_seconds(workload) > 0;
}

/// When the run began that ended with the last eviction. Kueue reports the total time of all runs, so this is
/// known only after a single one.
std::optional<Time> start_of_last_run(const Json& workload, const Eviction& last) {
  const long long seconds = past_admitted_seconds(workload);
  if (seconds == 0 || evictions(workload) != 1) return {};
  return last.time - std::chrono::seconds(seconds);
}

/// Kueue's reason for evicting a Workload that a user has deactivated.
constexpr const char* kDeactivated = "Deactivated";

/// Whether the message of an eviction names the Workload: "(UID: u, JobUID: j)".
bool is_named(const Json& workload, const std::string& message) {
  return message.find("(UID: " + api::uid_of(workload) + ",") != std::string::npos;
}

/// The Workload that preempted this Workload. It is found by the uid of the preemptor's job. If the preemptor
/// has no job (a group of pods, for example), all Workloads are read.
std::vector<Json> preemptors_of(kube::Client& client, const KueueApi& kueue, const Json& workload) {
  constexpr std::string_view kJob = "JobUID: ", kNoJob = "UNKNOWN";
  const std::string message = api::condition(workload, "Evicted").message();
  const size_t at = message.find(kJob);
  const size_t begin = at == std::string::npos ? message.size() : at + kJob.size();
  const std::string job = message.substr(begin, message.find_first_of(",)", begin) - begin);
  if (!job.empty() && job != kNoJob)
    return client.list(kueue.workload(), "", {kJobUidLabel + ("=" + job), {}}).items;
  std::vector<Json> found;
  const auto error = each_workload(client, kueue.workload(), "", [&](Json other) {
    if (is_named(other, message)) found.push_back(std::move(other));
  });
  if (error) throw Error(*error);
  return found;
}

}  // namespace

std::optional<Disruption> eviction_of(const Json& workload, const std::vector<Json>& preemptors) {
  const std::optional<Eviction> last = last_eviction(workload);
  if (!last) return {};
  Disruption disruption{.time = last->time,
                        .reason = last->reason == "Preempted"    ? std::string(kPreempted)
                                  : last->reason == kDeactivated ? std::string(kSuspended)
                                                                 : last->reason};
  disruption.uid = api::uid_of(workload) + "/" + std::to_string(evictions(workload));
  disruption.start = start_of_last_run(workload, *last);
  if (disruption.reason != kPreempted) return disruption.start ? std::optional(disruption) : std::nullopt;
  const std::string message = api::condition(workload, "Evicted").message();
  const auto by = std::find_if(preemptors.begin(), preemptors.end(),
                               [&](const Json& other) { return is_named(other, message); });
  if (by == preemptors.end()) return disruption;
  const Json* owner = api::controller_of(*by);
  const std::string name = owner ? api::entry_name(*owner) : api::name_of(*by);
  const bool is_near = api::namespace_of(*by) == api::namespace_of(workload);
  disruption.by = is_near ? name : api::namespace_of(*by) + "/" + name;
  return disruption;
}

namespace {

/// Calls `read` with Kueue's API and the job's Workload. If the job has none, or if the user may not read it,
/// returns nothing.
template <typename Read>
auto with_workload(kube::Client& client, const Json& job, const Read& read)
    -> decltype(read(std::declval<const KueueApi&>(), job)) try {
  if (api::label_of(job, api::kKueueQueue).empty()) return {};
  const KueueApi kueue(client);
  const Workloads own(list_workloads_of(client, kueue, job));
  const Json* workload = own.of(job);
  if (!workload) return {};
  return read(kueue, *workload);
} catch (const Error& error) {
  if (error.http_status != 403 && error.http_status != 404) throw;
  return {};
}

}  // namespace

std::optional<Disruption> read_eviction(kube::Client& client, const Json& job) {
  return with_workload(client, job, [&](const KueueApi& kueue, const Json& workload) {
    std::optional<Disruption> eviction = eviction_of(workload, {});
    if (!eviction || eviction->reason != kPreempted) return eviction;
    try {
      return eviction_of(workload, preemptors_of(client, kueue, workload));
    } catch (const Error& error) {
      if (error.http_status != 403) throw;
      return eviction;
    }
  });
}

std::chrono::seconds time_admitted(kube::Client& client, const Json& job) {
  return with_workload(client, job, [](const KueueApi&, const Json& workload) {
    return std::chrono::seconds(past_admitted_seconds(workload));
  });
}

std::vector<IdleTime> idle_times(const Json& workload, Time created, Time now) {
  const api::Condition reserved = api::condition(workload, "QuotaReserved");
  const Time until = reserved.is_true() ? reserved.since().value_or(created) : now;
  if (!was_evicted(workload)) return {{created, until}};
  const std::optional<Eviction> last = last_eviction(workload);
  if (!last) return {};
  const std::optional<Time> start = start_of_last_run(workload, *last);
  if (!start) return {{last->time, until}};
  return {{created, *start}, {last->time, until}};
}

}  // namespace kml::job
