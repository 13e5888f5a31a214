#include "job/why/causes.h"

#include <fmt/format.h>

#include "job/capacity/kueue_api.h"
#include "job/why/queue.h"
#include "job/why/room.h"
#include "kml/base/text.h"
#include "kml/job/capacity/workloads.h"
#include "kml/job/why/cause.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

/// Adds the preemptor's name, because the message only has its UIDs.
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
  const std::string reason = kind == "InClusterQueue"             ? "which comes before it in the queue"
                             : kind.starts_with("InCohortReclam") ? "whose queue reclaimed its lent quota"
                             : kind == "InCohortFairSharing"      ? "by fair sharing between the queues"
                                                                  : "which Kueue preferred";
  cause.summary =
      fmt::format("was stopped for {}, {}, and is back in queue {}", who, reason, queue_name_of(workload));
  if (!cause.holders.empty()) cause.brief = "preempted by " + cause.holders[0].name;
  if (const auto quota = quota_cause(facts, workload)) {
    cause.summary += ": " + quota->summary;
    cause.shortfalls = quota->shortfalls;
    cause.priority = quota->priority;
    cause.remedies = quota->remedies;
    if (cause.holders.empty()) cause.holders = quota->holders;
  }
  cause.message = evicted.message();
  return cause;
}

/// The cause for an inactive Workload: either a person suspended the job, or Kueue has given up.
Cause inactive(const std::string& job, const Json& workload) {
  const bool is_kueues = has_given_up(workload);
  const std::string why = api::condition(workload, is_kueues ? "Requeued" : "Evicted").message();
  Cause cause =
      is_kueues ? make_cause(CauseCode::queue_gave_up, "Kueue gave up", "Kueue has deactivated it: " + why)
                : make_cause(CauseCode::suspended, "`kml resume " + job + "` puts it back in its queue",
                             "is suspended: its Workload was deactivated");
  cause.remedies = {{is_kueues ? "let Kueue try again" : "put it back in its queue", "kml resume " + job}};
  cause.message = why;
  return cause;
}

/// The cause if the workload has quota, but an admission check is not done.
Cause checks(const Json& workload) {
  std::string open;
  for (const Json& check : array_at(workload, {"status", "admissionChecks"}))
    if (string_at(check, {"state"}) != "Ready")
      open += (open.empty() ? "" : ", ") + api::entry_name(check) + " (" + string_at(check, {"state"}) +
              (api::message_of(check).empty() ? "" : ": " + api::message_of(check)) + ")";
  return make_cause(CauseCode::queue_check, "waits for a check" + (open.empty() ? "" : ": " + open),
                    "has its quota, and waits for the admission check" + (open.empty() ? "" : " " + open));
}

/// The cause if the job's pods were not ready in time. Kueue will try the job again.
Cause not_ready(const Facts& facts, const Json& workload, const api::Condition& evicted) {
  const std::optional<Time> next = api::time_at(workload, {"status", "requeueState", "requeueAt"});
  Cause cause = make_cause(
      CauseCode::queue_not_ready, "pods were not ready in time",
      fmt::format("its pods were not ready in time; Kueue tries again {} (retry {})",
                  when_in_words(next, facts.now), int_at(workload, {"status", "requeueState", "count"})));
  cause.message = evicted.message();
  return cause;
}

/// A job that waits before this one in the same ClusterQueue, and can never be admitted. Empty if none is
/// known.
std::optional<Holder> stuck_before(const Facts& facts, const Json& own) {
  const std::string place = cluster_queue_of_workload(facts, own);
  for (const Json& other : *facts.workloads)
    if (waits_for_quota(other) && !may_be_admitted(other) && is_before_in_queue(other, own) &&
        cluster_queue_of_workload(facts, other) == place)
      return holder_of_workload(other);
  return {};
}

/// The cause for a job in a queue that admits no job before an earlier one.
Cause strict_order(const Facts& facts, const Json& workload, const QueuePosition& position) {
  const std::string queue = queue_name_of(workload);
  const std::optional<Holder> stuck = stuck_before(facts, workload);
  Cause cause =
      make_cause(CauseCode::queue_pending, "waits for earlier jobs in queue " + queue,
                 fmt::format("number {} of {} waiting in queue {}, which admits jobs in strict order",
                             position.before + 1, position.all, queue) +
                     (stuck ? "; job " + stuck->name + " is ahead, and can never be admitted" : ""));
  if (!stuck) return cause;
  const bool is_near = stuck->namespace_name == api::namespace_of(facts.job);
  cause.remedies = {{"find out why " + stuck->name + " blocks the queue",
                     "kml why " + stuck->name + (is_near ? "" : " -n " + stuck->namespace_name)}};
  return cause;
}

/// The cause if Kueue reports nothing. It does not report about a new Workload, or about a Workload with the
/// same requests as another one that it has just failed to admit.
Cause unexplained(const Facts& facts, const Json& workload) {
  const std::string queue = queue_name_of(workload);
  const QueuePosition position = position_in_queue(facts, workload);
  const std::string brief = "waits in queue " + queue;
  if (facts.cluster_queue && position.before > 0 &&
      string_at(*facts.cluster_queue, {"spec", "queueingStrategy"}) == "StrictFIFO")
    return strict_order(facts, workload, position);
  return make_cause(
      CauseCode::queue_pending, brief,
      position.all > 1
          ? fmt::format("waits in queue {}: number {} of {}; Kueue has not reported what is missing", queue,
                        position.before + 1, position.all)
          : brief + "; Kueue has not reported yet what is missing");
}

Cause pending(const Facts& facts, const Json& workload, const api::Condition& reserved) {
  const std::string message = reserved.message(), queue = queue_name_of(workload);
  const CauseCode code = queue_code_of(reserved.reason(), message);
  if (auto closed = closed_queue_cause(facts, workload, code, message)) return *closed;
  if (auto topology = topology_cause(facts, workload, code, message)) return *topology;
  if (code == CauseCode::queue_quota || code == CauseCode::queue_too_large ||
      code == CauseCode::queue_preempting)
    if (auto quota = quota_cause(facts, workload)) return *quota;
  Cause cause = make_cause(code, "waits in queue " + queue,
                           "waits in queue " + queue + (message.empty() ? "" : ": " + message));
  cause.message = message;
  if (code == CauseCode::queue_flavor) cause.brief = "no GPU type of queue " + queue + " matches";
  if (code == CauseCode::queue_blocked) {
    cause.brief = "waits until earlier jobs are ready";
    cause.summary = "waits until the pods of all jobs that Kueue admitted earlier are ready";
  }
  if (code == CauseCode::queue_gated) cause.brief = "another controller holds it back";
  if (code == CauseCode::queue_pending && reserved.reason() == "Misconfigured")
    cause.outlook = Outlook::never;
  return cause;
}

/// The cause if Kueue has not created a Workload for the job. Kueue needs a moment, and longer if many jobs
/// were submitted at once.
Cause without_workload(const Facts& facts, const std::string& queue) {
  constexpr std::chrono::minutes kLong{1};
  const nanoseconds age = facts.now - api::created_at(facts.job).value_or(facts.now);
  if (!facts.workloads || facts.now == Time() || age < kLong)
    return make_cause(CauseCode::queue_pending, "waits in queue " + queue,
                      facts.workloads
                          ? fmt::format("Kueue has not created a workload for it in queue {} yet", queue)
                          : "waits in queue " + queue);
  Cause cause = make_cause(
      CauseCode::controller_missing, "Kueue has not picked it up",
      fmt::format("Kueue has not created a workload for it in queue {} in {}: possibly Kueue is not running, "
                  "or does not manage {}s, or not in namespace {}",
                  queue, short_duration(age), api::kind_name(facts.job), api::namespace_of(facts.job)));
  cause.remedies = {
      {"ask the cluster's administrator whether Kueue runs, and manages jobs like this one", ""}};
  return cause;
}

/// The cause for a job whose pods Kueue has created in another cluster (MultiKueue).
Cause in_worker_cluster(const std::string& cluster) {
  const std::string where = "in cluster " + cluster;
  return make_cause(CauseCode::running, "runs " + where,
                    "Kueue runs it " + where + ": its pods and their logs are there");
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
    return without_workload(facts, queue);
  }
  api::Condition evicted = api::condition(*workload, "Evicted");
  if (!evicted.is_true()) evicted = {};
  const std::string why = evicted.reason();
  if (!is_active(*workload) || has_given_up(*workload)) return inactive(api::name_of(facts.job), *workload);
  const api::Condition reserved = api::condition(*workload, "QuotaReserved");
  if (reserved.is_true()) {
    if (!api::condition_is_true(*workload, "Admitted")) return checks(*workload);
    const std::string cluster = string_at(*workload, {"status", "clusterName"});
    return cluster.empty() ? std::nullopt : std::optional(in_worker_cluster(cluster));
  }
  const bool is_stopped =
      reserved && queue_code_of(reserved.reason(), reserved.message()) == CauseCode::queue_stopped;
  if (why == "Preempted" && !is_stopped) return preempted(facts, *workload, evicted);
  if (why == "PodsReadyTimeout") return not_ready(facts, *workload, evicted);
  if (!reserved) return unexplained(facts, *workload);
  return pending(facts, *workload, reserved);
}

}  // namespace kml::job
