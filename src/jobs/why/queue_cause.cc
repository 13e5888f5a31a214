#include "jobs/capacity/kueue_api.h"
#include "jobs/why/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "jobs/why/room.h"
#include "kml/api/labels.h"
#include "kml/api/object.h"
#include "kml/api/pod.h"
#include "kml/core/text.h"
#include "kml/jobs/why/cause.h"

namespace kml::jobs {

namespace {

/// Uses the condition's reason if this version of Kueue sets a specific one, otherwise the message: before
/// 0.18, all waiting workloads are "Pending" or "Inadmissible".
CauseCode code_of(const std::string& reason, const std::string& message) {
  if (reason == "ExceedsMaxQuota" || contains(message, "maximum capacity")) return CauseCode::queue_too_large;
  if (reason == "Misconfigured" || contains(message, "doesn't exist")) return CauseCode::queue_missing;
  if (reason == "Suspended" || contains(message, "is inactive")) return CauseCode::queue_stopped;
  if (reason == "TopologyPlacementFailed" || contains(message, "opology")) return CauseCode::queue_topology;
  if (reason == "WaitingForPreemptedWorkloads" || contains(message, "Pending the preemption"))
    return CauseCode::queue_preempting;
  if (reason == "WaitingForQuota" || contains(message, "insufficient")) return CauseCode::queue_quota;
  if (reason == "NoMatchingFlavor" || contains(message, "affinity") || contains(message, "taint"))
    return CauseCode::queue_flavor;
  return CauseCode::queue_pending;
}

struct Place {
  std::string queue, cluster_queue, namespace_name;
};

Place place_of(const Facts& facts, const Json& workload) {
  Place place{queue_name_of(workload), "", api::namespace_of(facts.job)};
  if (facts.local_queue) place.cluster_queue = cluster_queue_of(*facts.local_queue);
  return place;
}

/// The position among the workloads that wait in the same LocalQueue, by priority, then by age.
std::string position(const Facts& facts, const Json& own) {
  if (!facts.workloads) return {};
  const auto rank = [](const Json& workload) {
    return std::tuple(-api::priority_of(workload), api::creation_text(workload));
  };
  int before = 0, all = 0;
  for (const Json& other : *facts.workloads) {
    if (queue_name_of(other) != queue_name_of(own) || api::namespace_of(other) != api::namespace_of(own) ||
        api::condition_is_true(other, "QuotaReserved") || api::condition_is_true(other, "Finished"))
      continue;
    ++all;
    before += rank(other) < rank(own) ? 1 : 0;
  }
  return all > 1 ? fmt::format("; number {} of {} waiting in queue {}", before + 1, all, queue_name_of(own))
                 : "";
}

std::string of_flavor(const FlavorShortfall& shortfall, int64_t amount) {
  return amount_text(shortfall.amounts.resource, amount) + " of flavor " + shortfall.flavor;
}

std::string priority_text(const Facts& facts, const Json& workload, const std::vector<Holder>& holders) {
  if (!facts.cluster_queue || holders.empty()) return {};
  const std::string policy =
      string_at(*facts.cluster_queue, {"spec", "preemption", "withinClusterQueue"}, "Never");
  const long long own = api::priority_of(workload);
  if (policy == "Never") return "priority cannot help: this queue does not preempt";
  long long lowest = *holders[0].priority;
  for (const Holder& holder : holders) lowest = std::min(lowest, holder.priority.value_or(0));
  return fmt::format("a workload priority above {} could preempt; its own is {}", lowest, own);
}

void add_quota(const Facts& facts, const Json& workload, const std::string& message, Cause& cause) {
  const Place place = place_of(facts, workload);
  std::vector<FlavorShortfall> shortfalls = parse_queue_message(message);
  if (shortfalls.empty()) return;
  for (FlavorShortfall& one : shortfalls) {
    Shortfall& amounts = one.amounts;
    if (facts.cluster_queue && amounts.most == 0) {
      amounts.most = nominal_quota(*facts.cluster_queue, one.flavor, amounts.resource);
      int64_t used = 0;
      for (const Holder& holder : holders_in_queue(facts, place.cluster_queue, one.flavor, amounts.resource))
        used += holder.amount;
      amounts.free = std::max<int64_t>(amounts.most - used, 0);
      amounts.asked = amounts.free + amounts.missing;
    }
    cause.shortfalls.push_back(amounts);
  }
  const FlavorShortfall& first = shortfalls[0];
  if (cause.code == CauseCode::queue_too_large) {
    cause.brief =
        fmt::format("queue has at most {}", amount_text(first.amounts.resource, first.amounts.most));
    cause.summary = fmt::format("asks for {}, and queue {} never has more than {}",
                                amount_text(first.amounts.resource, first.amounts.asked), place.queue,
                                of_flavor(first, first.amounts.most));
    cause.priority = "priority cannot help: it asks for more than the queue's maximum";
    cause.remedies = {{"request less", fmt::format("kml submit --gpus {} …", first.amounts.most / 1000)}};
    return;
  }
  cause.brief = fmt::format("needs {} more in queue {}",
                            amount_text(first.amounts.resource, first.amounts.missing), place.queue);
  cause.summary =
      fmt::format("queue {} is full: needs {} more", place.queue, of_flavor(first, first.amounts.missing)) +
      (first.amounts.most > 0
           ? fmt::format("; {} of {} are free", first.amounts.free / 1000, first.amounts.most / 1000)
           : "") +
      position(facts, workload);
  cause.holders = holders_in_queue(facts, place.cluster_queue, first.flavor, first.amounts.resource);
  cause.priority = priority_text(facts, workload, cause.holders);
  std::vector<Holder> enough;
  int64_t freed = 0;
  for (auto holder = cause.holders.rbegin(); holder != cause.holders.rend(); ++holder)
    if (freed < first.amounts.missing) freed += holder->amount, enough.push_back(*holder);
  if (!enough.empty() && freed >= first.amounts.missing)
    cause.remedies = {{"wait, or free enough by cancelling " + holders_text(enough, first.amounts.resource),
                       command_to_free(enough, place.namespace_name)}};
}

/// Adds the preemptor, which the message only names by UIDs.
void add_preemptor(const Facts& facts, const std::string& message, Cause& cause) {
  for (std::string_view before : {"(UID: ", "JobUID: "}) {
    const size_t at = message.find(before);
    if (at == std::string::npos) continue;
    const size_t from = at + before.size();
    if (const Json* by =
            workload_with_uid(facts, message.substr(from, message.find_first_of(",)", from) - from))) {
      cause.holders = {holder_of_workload(*by)};
      return;
    }
  }
}

Cause preempted(const Facts& facts, const Json& workload, const api::Condition& evicted) {
  const std::string kind = api::condition(workload, "Preempted").reason();
  Cause cause = make_cause(CauseCode::queue_preempted, "preempted, back in the queue", "");
  add_preemptor(facts, evicted.message(), cause);
  const std::string who = cause.holders.empty() ? "another job" : holders_text(cause.holders, "");
  const std::string reason = kind == "InClusterQueue" ? "which has the higher priority"
                             : kind.starts_with("InCohortReclam")
                                 ? "whose queue reclaimed the quota that it had lent"
                             : kind == "InCohortFairSharing" ? "by fair sharing between the queues"
                                                             : "which Kueue preferred";
  cause.summary =
      fmt::format("was stopped for {}, {}, and is back in queue {}", who, reason, queue_name_of(workload));
  if (!cause.holders.empty()) cause.brief = "preempted by " + cause.holders[0].name;
  Cause quota = make_cause(CauseCode::queue_quota, "", "");
  if (const api::Condition reserved = api::condition(workload, "QuotaReserved"))
    add_quota(facts, workload, reserved.message(), quota);
  if (!quota.summary.empty()) cause.summary += ": " + quota.summary;
  cause.shortfalls = quota.shortfalls;
  cause.priority = quota.priority;
  cause.remedies = quota.remedies;
  if (cause.holders.empty()) cause.holders = quota.holders;
  cause.message = evicted.message();
  return cause;
}

Cause gave_up(const std::string& job, const Json& workload, const std::string& why) {
  Cause cause = make_cause(CauseCode::queue_gave_up, "Kueue gave up",
                           "Kueue has deactivated it" + (why.empty() ? "" : ": " + why));
  cause.remedies = {
      {"submit it again", "kml rerun " + job},
      {"or ask an administrator to set spec.active of its Workload " + api::name_of(workload) + " to true",
       ""}};
  cause.message = why;
  return cause;
}

/// The workload has quota, but an admission check is still open.
Cause checks(const Json& workload) {
  std::string open;
  for (const Json& check : array_at(workload, {"status", "admissionChecks"}))
    if (string_at(check, {"state"}) != "Ready")
      open += (open.empty() ? "" : ", ") + api::entry_name(check) + " (" + string_at(check, {"state"}) +
              (api::message_of(check).empty() ? "" : ": " + api::message_of(check)) + ")";
  return make_cause(CauseCode::queue_check, "waits for a check" + (open.empty() ? "" : ": " + open),
                    "has its quota, and waits for the admission check" + (open.empty() ? "" : " " + open));
}

Cause pending(const Facts& facts, const Json& workload, const api::Condition& reserved) {
  const std::string reason = reserved.reason(), message = reserved.message();
  const std::string queue = queue_name_of(workload), where = api::namespace_of(facts.job);
  const CauseCode code = code_of(reason, message);
  Cause cause = make_cause(code, "waits in queue " + queue,
                           "waits in queue " + queue + (message.empty() ? "" : ": " + message));
  cause.message = message;
  if (code == CauseCode::queue_missing) {
    cause.brief = "no queue " + queue;
    cause.summary = contains(message, "ClusterQueue")
                        ? message
                        : fmt::format("queue {} does not exist in namespace {}", queue, where);
    cause.remedies = {{"list the queues, and submit it again", fmt::format("kml list queues -n {}", where)}};
  } else if (code == CauseCode::queue_stopped) {
    cause.brief = "queue " + queue + " is stopped";
    cause.summary = fmt::format("queue {} does not accept jobs: {}", queue, message);
    const std::string cluster_queue = place_of(facts, workload).cluster_queue;
    cause.remedies = {
        {"ask its administrator to open it" +
             (cluster_queue.empty() ? "" : ": stopPolicy of ClusterQueue " + cluster_queue + " must be None"),
         ""}};
  } else if (code == CauseCode::queue_flavor) {
    cause.brief = "no GPU type of queue " + queue + " matches";
  } else if (code == CauseCode::queue_quota || code == CauseCode::queue_too_large ||
             code == CauseCode::queue_preempting) {
    add_quota(facts, workload, message, cause);
    if (code == CauseCode::queue_preempting) {
      cause.brief = "starts next: jobs of lower priority are being stopped";
      cause.summary = "starts next: jobs of lower priority are being stopped for it; " + cause.summary;
      cause.remedies.clear();
    }
  }
  return cause;
}

Cause without_kueue(const Facts& facts, const std::string& queue) {
  Cause cause = make_cause(CauseCode::queue_missing, "no Kueue for queue " + queue,
                           "is suspended until queue " + queue + " admits it, but the cluster has no Kueue");
  cause.remedies = {{"start it without the queue", "kml resume " + api::name_of(facts.job)}};
  return cause;
}

}  // namespace

const Json* workload_of(const Facts& facts) {
  return workload_with_uid(facts, api::uid_of(facts.job));
}

std::optional<Cause> queue_cause(const Facts& facts) {
  const std::string queue = api::label_of(facts.job, api::kKueueQueue);
  const Json* workload = workload_of(facts);
  if (!workload) {
    if (queue.empty()) return {};
    if (!facts.has_kueue) return without_kueue(facts, queue);
    return make_cause(CauseCode::queue_pending, "waits in queue " + queue,
                      facts.workloads
                          ? fmt::format("Kueue has not created a workload for it yet; queue {}", queue)
                          : "waits in queue " + queue);
  }
  api::Condition evicted = api::condition(*workload, "Evicted");
  if (!evicted.is_true()) evicted = {};
  const std::string why = evicted.reason();
  if (!is_active(*workload)) return gave_up(api::name_of(facts.job), *workload, evicted.message());
  const api::Condition reserved = api::condition(*workload, "QuotaReserved");
  if (reserved.is_true()) {
    if (api::condition_is_true(*workload, "Admitted")) return {};
    return checks(*workload);
  }
  const bool is_stopped =
      reserved && code_of(reserved.reason(), reserved.message()) == CauseCode::queue_stopped;
  if (why == "Preempted" && !is_stopped) return preempted(facts, *workload, evicted);
  if (why == "PodsReadyTimeout") {
    Cause cause =
        make_cause(CauseCode::queue_not_ready, "pods were not ready in time",
                   fmt::format("its pods were not ready in time; Kueue tries again ({} times so far)",
                               int_at(*workload, {"status", "requeueState", "count"})));
    cause.message = evicted.message();
    return cause;
  }
  if (!reserved)
    return make_cause(CauseCode::queue_pending, "waits in queue " + queue,
                      "waits in queue " + string_at(*workload, {"spec", "queueName"}, queue) +
                          "; Kueue has not processed it yet");
  return pending(facts, *workload, reserved);
}

std::optional<Cause> cause_in_queue(const Json& job, const Json& workload) {
  Facts facts{.job = job};
  facts.workloads = std::vector<Json>{workload};
  return queue_cause(facts);
}

}  // namespace kml::jobs
