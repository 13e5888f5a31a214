#include "job/why/causes.h"
#include "job/why/retries.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "job/views/operators.h"
#include "job/views/time_limit.h"
#include "kml/base/text.h"
#include "kml/job/views/has_tasks.h"
#include "kml/job/views/job_view.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/pod_view.h"
#include "kml/job/why/cause.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

int urgency(const Cause& cause) {
  switch (cause.outlook) {
    case Outlook::never: return 0;
    case Outlook::waits: return 1;
    case Outlook::failed: return 2;
    case Outlook::starting: return 3;
    case Outlook::none: break;
  }
  return 4;
}

/// The job's pods by state.
struct Pods {
  int running = 0, succeeded = 0;
  std::vector<const Json*> waiting, failed;
  std::set<std::string> nodes;
};

Pods pods_of(const Facts& facts) {
  Pods pods;
  for (const Json* pod : facts.pods) {
    const std::string phase = api::phase_of(*pod);
    const bool is_leaving = api::is_being_deleted(*pod);
    if (phase == "Succeeded") {
      ++pods.succeeded;
    } else if (phase == "Failed") {
      pods.failed.push_back(pod);
    } else if (phase == "Running" && !is_leaving) {
      // the pod crashes repeatedly, or its node was lost
      const std::optional<Cause> cause = pod_cause(facts, *pod);
      if (cause) pods.waiting.push_back(pod);
      if (cause && cause->code == CauseCode::node_lost) continue;
      ++pods.running;
      pods.nodes.insert(api::node_of(*pod));
    } else {
      pods.waiting.push_back(pod);
    }
  }
  return pods;
}

/// Volcano's message about a pod that could have a node, and waits for the other pods of its gang
/// (volcano.sh/volcano/pkg/scheduler/api/unschedule_info.go).
bool only_waits_for_gang(const std::string& message) {
  return contains(message, "can possibly be assigned to ");
}

/// The causes why pods wait. Similar pods share one cause, which includes their number. Most waiting pods
/// have the same message from the scheduler, so each message is only explained once.
std::vector<Cause> causes_of_waiting(const Facts& facts, const std::vector<const Json*>& waiting) {
  std::vector<Cause> causes;
  std::map<std::string, size_t> by_message;
  for (const Json* pod : waiting) {
    const api::Condition scheduled = api::condition(*pod, "PodScheduled");
    const std::string message = scheduled.is_false() ? scheduled.reason() + scheduled.message() : "";
    if (only_waits_for_gang(message) && waiting.size() > 1) continue;
    if (const auto known = by_message.find(message); !message.empty() && known != by_message.end()) {
      ++causes[known->second].pods;
      continue;
    }
    std::optional<Cause> cause = pod_cause(facts, *pod);
    if (!cause) continue;
    const auto same = std::find_if(causes.begin(), causes.end(), [&](const Cause& other) {
      return other.code == cause->code && other.brief == cause->brief;
    });
    if (!message.empty()) by_message[message] = static_cast<size_t>(same - causes.begin());
    if (same == causes.end())
      causes.push_back(std::move(*cause));
    else
      ++same->pods;
  }
  return causes;
}

/// Why pods of earlier attempts failed or were stopped. Uses the newest attempt, because it is the most
/// informative.
std::optional<Cause> last_failure(const Facts& facts, const Pods& pods) {
  const Json* newest = newest_of(pods.failed);
  return newest ? pod_cause(facts, *newest) : gone_pod_cause(facts);
}

Cause running(const JobView& job, const Pods& pods, const Facts& facts) {
  const Json* workload = workload_of(facts);
  const auto part = workload ? partly_admitted(*workload) : std::nullopt;
  const int all = part ? part->second : job.pods;
  std::string text = fmt::format("runs: {} of {} pods", pods.running, std::max(all, pods.running));
  if (job.started && facts.now != Time()) text += " for " + short_duration(facts.now - *job.started);
  constexpr size_t kNamed = 4;
  std::vector<std::string> nodes(pods.nodes.begin(), pods.nodes.end());
  const size_t more = nodes.size() > kNamed ? nodes.size() - kNamed : 0;
  nodes.resize(nodes.size() - more);
  if (!nodes.empty())
    text += " on " + join(nodes, ", ") + (more > 0 ? fmt::format(" and {} more nodes", more) : "");
  if (part)
    text += fmt::format("; Kueue admitted {} of them, with less quota than the job requested", part->first);
  Cause cause = make_cause(CauseCode::running, "", text);
  cause.remedies = {{"see its log", "kml logs -f " + job.name}};
  return cause;
}

/// The cause if the node's disk is full. The embedded server then cannot record that a pod has ended. A
/// kubelet accepts no new pods, and evicts some.
std::optional<Cause> disk_cause(const Facts& facts) {
  if (!facts.node) return {};
  const api::Condition pressure = api::condition(*facts.node, "DiskPressure");
  if (!pressure.is_true()) return {};
  const std::string name = api::name_of(*facts.node), message = pressure.message();
  const bool is_own_server = message.starts_with("the disk of ");
  Cause cause = make_cause(CauseCode::disk_full, "the disk is full",
                           is_own_server ? message : "the disk of node " + name + " is full");
  cause.object = "node " + name;
  if (!is_own_server) cause.message = message;
  return cause;
}

struct Failures {
  int count = 0;
  std::optional<Time> last;
};

/// The completion index in the name of a pod: 3 in "arr-3-x7f2q". Lists of pods leave out its label, but a
/// Job's controller keeps the index even in a name that it must shorten (Kubernetes'
/// pkg/controller/job/indexed_job_utils.go).
std::string index_in_name(const Json& pod) {
  const std::string name = api::name_of(pod);
  const std::string before = name.substr(0, name.rfind('-'));
  return before.substr(before.rfind('-') + 1);  // npos + 1 is 0
}

/// The failures after which a Job's controller creates a new pod, counted as the controller does: by index if
/// each index has its own limit, otherwise together under "". Leaves out failures that a policy ignores.
std::map<std::string, Failures> counted_failures(const Json& job, const Pods& pods) {
  std::map<std::string, Failures> counted;
  for (const Json* pod : pods.failed) {
    if (api::condition_is_true(*pod, "DisruptionTarget")) continue;
    Failures& failures = counted[api::retries_per_index(job) ? index_in_name(*pod) : ""];
    ++failures.count;
    failures.last = std::max(failures.last, basic_view_of_pod(*pod).finished);
  }
  return counted;
}

/// When a Job's controller will create the next pod: 10 s after a failure, and twice as long after each
/// further failure, up to 10 min (Kubernetes' pkg/controller/job/backoff_utils.go). Other kinds have other
/// rules.
std::optional<Time> next_attempt(const Facts& facts, const Pods& pods) {
  if (!is_plain_job(facts.job)) return {};
  const std::optional<long long> limit = api::retries_per_index(facts.job);
  std::optional<Time> next;
  for (const auto& [index, failures] : counted_failures(facts.job, pods)) {
    if (!failures.last || (limit && failures.count > *limit)) continue;
    const auto delay = std::min<nanoseconds>(
        std::chrono::seconds(10) * (1 << std::min(failures.count - 1, 16)), std::chrono::minutes(10));
    if (!next || *failures.last + delay < *next) next = *failures.last + delay;
  }
  return next;
}

/// Whether the job's controller will soon end the job, because there were more failures than the job may
/// have. The controller needs a moment to count a failed pod.
bool has_no_attempt_left(const Facts& facts, const Pods& pods) {
  const auto counted = counted_failures(facts.job, pods);
  if (const std::optional<long long> limit = api::retries_per_index(facts.job)) {
    const auto is_over = [&](const auto& entry) { return entry.second.count > *limit; };
    return has_tasks(facts.job) ? std::all_of(counted.begin(), counted.end(), is_over)
                                : std::any_of(counted.begin(), counted.end(), is_over);
  }
  const std::optional<long long> retries = retries_of(facts.job, newest_of(pods.failed));
  if (api::kind_name(facts.job) == "JobSet")
    return retries && failures_of_set(facts.job, pods.failed) > *retries;
  long long failures = api::failed_pods(facts.job);
  for (const auto& [index, of_index] : counted) failures = std::max<long long>(failures, of_index.count);
  return retries && failures > *retries;
}

/// The cause if the job's time limit ends it before its next attempt.
Cause no_attempt_before(Time end, const Facts& facts, const Cause& last) {
  Cause cause = make_cause(CauseCode::backoff, "no other attempt before its time limit: " + last.brief,
                           fmt::format("its last attempt failed ({}); no attempt follows, because its time "
                                       "limit ends the job {}, before the next attempt would start",
                                       last.summary, when_in_words(end, facts.now)));
  cause.last_failure = last.brief;
  cause.failure = last.summary;
  return cause;
}

Cause between_attempts(const Facts& facts, const Pods& pods, const Cause& last) {
  if (has_no_attempt_left(facts, pods)) {
    Cause cause = make_cause(CauseCode::failing, last.brief,
                             last.summary + "; no attempts are left: it is about to fail");
    cause.failure = last.summary;
    return cause;
  }
  const std::optional<Time> next = next_attempt(facts, pods);
  if (const auto end = ends_by_limit(facts.job); next && end && *end <= *next)
    return no_attempt_before(*end, facts, last);
  Cause cause = make_cause(CauseCode::backoff, next_attempt_in_words(next, last.brief, facts.now),
                           fmt::format("its last attempt failed ({}); the next one starts {}", last.summary,
                                       when_in_words(next, facts.now)));
  cause.next_attempt = next;
  cause.last_failure = last.brief;
  cause.failure = last.summary;
  if (std::any_of(pods.failed.begin(), pods.failed.end(), [](const Json* pod) { return has_log(*pod); }))
    cause.remedies = {{"see why it failed", "kml logs " + api::name_of(facts.job)}};
  return cause;
}

/// The cause for a job of which its controller has taken no notice. No object shows whether the controller
/// runs: it may only be slow, or not watch this namespace.
Cause not_picked_up(const Json& job, nanoseconds age) {
  Cause cause = make_cause(
      CauseCode::controller_missing, "no controller has picked it up",
      fmt::format("{} has not picked it up in {}: possibly it is not running, or not for this namespace",
                  controller_in_words(job), short_duration(age)));
  cause.remedies = {{fmt::format("ask the cluster's administrator whether {} runs for this namespace",
                                 controller_in_words(job)),
                     ""}};
  if (!operator_of(job).empty()) {
    cause.remedies[0].what += ", or use another template";
    cause.remedies[0].command = "kml template list";
  }
  return cause;
}

/// The cause for a job that has no pods, but should have some.
Cause no_pods(const Facts& facts, const Pods& pods) {
  const Json& job = facts.job;
  if (auto last = last_failure(facts, pods)) {
    if (last->code == CauseCode::preempted || last->code == CauseCode::evicted) return *last;
    return between_attempts(facts, pods, *last);
  }
  if (const api::Condition seen = api::condition(job, "Created"); seen && facts.pods.empty() && !facts.events)
    return make_cause(CauseCode::no_pods, seen.message(), "has no pods yet");
  const std::optional<Time> created = api::created_at(job);
  const bool is_old = created && facts.now - *created > std::chrono::seconds(30);
  if (api::status_of(job).empty() && is_old) return not_picked_up(job, facts.now - *created);
  // The user may lack the right to read the pods.
  if (int_at(job, {"status", "ready"}) > 0 || api::condition_is_true(job, "Running"))
    return make_cause(CauseCode::running, "", "runs");
  if (api::active_pods(job) > 0) return make_cause(CauseCode::starting, "", "its pods are being started");
  return make_cause(
      CauseCode::no_pods, "",
      "has no pods yet, for an unknown reason; " + controller_in_words(job) + " should create them");
}

/// Adds why the server rejects the job's missing pods. An incomplete gang is only a consequence of that.
void add_reason_of_rejection(const Facts& facts, std::vector<Cause>& causes) {
  auto refused = refused_pods(facts);
  if (!refused) refused = refused_by_quota(facts);
  if (!refused) return;
  std::erase_if(causes, [](const Cause& cause) { return cause.code == CauseCode::gang_incomplete; });
  causes.push_back(std::move(*refused));
}

}  // namespace

std::vector<Cause> causes_of(const Facts& facts) {
  const std::optional<Cause> disk = disk_cause(facts);
  if (auto end = end_cause(facts)) return disk ? std::vector{*disk, *end} : std::vector{*end};
  if (auto held = queue_cause(facts); held && (api::is_suspended(facts.job) || workload_of(facts)))
    return {*held};
  const std::string name = api::name_of(facts.job);
  if (api::is_suspended(facts.job)) {
    if (auto waits = dependency_cause(facts)) return {*waits};
    const bool is_stopping = std::any_of(facts.pods.begin(), facts.pods.end(),
                                         [](const Json* pod) { return !api::pod_has_ended(*pod); });
    Cause cause = make_cause(CauseCode::suspended, "`kml resume " + name + "` starts it",
                             is_stopping ? "is suspended; its pods are stopping" : "is suspended");
    cause.remedies = {{"resume it", "kml resume " + name}};
    if (const auto lost = lost_pods_cause(facts, "is suspended")) {
      cause.brief = lost->brief;
      cause.summary = lost->summary;
    }
    return {cause};
  }
  if (auto described = described_cause(facts)) return {*described};
  const Pods pods = pods_of(facts);
  const JobView job = basic_view_of_job(facts.job, facts.pods);
  if (auto queue = volcano_cause(facts)) return {*queue};  // its pods' messages only say that the gang waits
  std::vector<Cause> causes = causes_of_waiting(facts, pods.waiting);
  const bool some_missing = static_cast<int>(pods.waiting.size()) + pods.running <
                            std::min(job.pods, job.completions - pods.succeeded);
  if (disk) causes.push_back(*disk);
  // The job is running although the disk is full, so the verdict must not say that it waits.
  if (disk && pods.running > 0) causes.back().outlook = Outlook::none;
  if (some_missing) add_reason_of_rejection(facts, causes);
  if (api::condition_is_true(facts.job, "Restarting"))
    causes.push_back(make_cause(CauseCode::restarting, "restarting", "its operator is restarting a worker"));
  if (causes.empty()) causes.push_back(pods.running > 0 ? running(job, pods, facts) : no_pods(facts, pods));
  std::stable_sort(causes.begin(), causes.end(),
                   [](const Cause& a, const Cause& b) { return urgency(a) < urgency(b); });
  if (pods.running == 0) mind_time_limit(facts, causes[0]);
  const auto last = last_failure(facts, pods);
  if (last && causes[0].code != last->code && causes[0].code != CauseCode::backoff) causes.push_back(*last);
  return causes;
}

Cause cause_of(const Json& job, std::span<const Json* const> pods) {
  return std::move(causes_of({.job = job, .pods = pods})[0]);
}

}  // namespace kml::job
