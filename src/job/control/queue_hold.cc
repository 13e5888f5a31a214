#include "job/control/queue_hold.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "job/capacity/kueue_api.h"
#include "kml/base/clock.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

/// The Kueue API for the job; empty if the job is not in a queue, or if the cluster has no Kueue.
std::optional<KueueApi> kueue_of_job(kube::Client& client, const Json& job) {
  if (api::label_of(job, api::kKueueQueue).empty()) return {};
  try {
    return KueueApi(client);
  } catch (const Error& error) {
    if (error.http_status != 404) throw;
    return {};
  }
}

std::vector<Json> open_workloads(kube::Client& client, const KueueApi& kueue, const Json& job) {
  std::vector<Json> workloads = list_workloads_of(client, kueue, job);
  std::erase_if(workloads, [](const Json& workload) { return api::condition_is_true(workload, "Finished"); });
  return workloads;
}

/// The job's Workloads. Waits for them, because Kueue needs a moment to create a Workload, and longer if many
/// jobs were submitted at once.
std::vector<Json> awaited_workloads(kube::Client& client, const KueueApi& kueue, const Json& job) {
  using std::chrono::milliseconds;
  constexpr std::chrono::seconds kLongest{30};
  constexpr milliseconds kPause{200};
  const auto age = system_clock().now() - api::created_at(job).value_or(Time());
  const auto until = client.transport().now() +
                     std::chrono::duration_cast<milliseconds>(kLongest - std::max(age, nanoseconds(0)));
  while (true) {
    std::vector<Json> workloads = open_workloads(client, kueue, job);
    if (!workloads.empty() || client.transport().now() >= until) return workloads;
    client.transport().wait(kPause);
  }
}

/// Calls `act`. If the user has no access to Workloads, adds to the Error what the user can do instead.
template <typename Act>
auto explained(const Json& job, const Act& act) try {
  return act();
} catch (const Error& error) {
  if (error.http_status != 403) throw;
  Error refused(error);
  const std::string name = api::name_of(job), queue = api::label_of(job, api::kKueueQueue);
  refused.message = "job " + name + " stays as it is: queue " + queue + " decides whether it runs";
  refused.why = "Kueue starts and stops the job as its Workload says, and you may not change the Workload: " +
                error.why;
  refused.fix =
      "`kml delete " + name + "` removes it; or ask for a role that may patch workloads.kueue.x-k8s.io";
  throw refused;
}

QueueHold set_active(kube::Client& client, const KueueApi& kueue, const std::vector<Json>& workloads,
                     bool active) {
  QueueHold result = QueueHold::unchanged;
  for (const Json& workload : workloads) {
    const std::string where = api::namespace_of(workload), name = api::name_of(workload);
    if (active && has_given_up(workload))  // Kueue makes a new Workload for the job
      client.remove(kueue.workload(), where, name,
                    {kube::Propagation::background, {}, api::uid_of(workload)});
    else if (is_active(workload) != active)
      client.patch(kueue.workload(), where, name, kube::PatchType::merge, {{"spec", {{"active", active}}}});
    else
      continue;
    result = QueueHold::changed;
  }
  return result;
}

}  // namespace

QueueHold deactivate(kube::Client& client, const Json& job) {
  const auto kueue = kueue_of_job(client, job);
  if (!kueue) return QueueHold::not_in_queue;
  return explained(job, [&] {
    const std::vector<Json> workloads = awaited_workloads(client, *kueue, job);
    if (workloads.empty())
      throw Error(
          ErrorCode::failure, "job " + api::name_of(job) + " stays as it is",
          "Kueue has not created the job's Workload yet, and may start the job once the Workload exists",
          "try again, or remove it: kml delete " + api::name_of(job));
    return set_active(client, *kueue, workloads, false);
  });
}

QueueHold activate(kube::Client& client, const Json& job) {
  const auto kueue = kueue_of_job(client, job);
  if (!kueue) return QueueHold::not_in_queue;
  return explained(job,
                   [&] { return set_active(client, *kueue, open_workloads(client, *kueue, job), true); });
}

}  // namespace kml::job
