#include "kml/job/attempts/attempts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "job/attempts/deleted_pods.h"
#include "job/attempts/eviction.h"
#include "job/attempts/merge.h"
#include "job/views/run_spans.h"
#include "job/why/causes.h"
#include "kml/base/error.h"
#include "kml/base/json_fields.h"
#include "kml/base/text.h"
#include "kml/job/views/find.h"
#include "kml/job/views/job_view.h"
#include "kml/job/views/ownership.h"
#include "kml/job/views/pod_view.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

constexpr std::string_view kAttemptEnded = "AttemptEnded";

constexpr std::tuple kAttemptFields = {JsonField{"pod", &Attempt::pod},
                                       JsonField{"uid", &Attempt::uid},
                                       JsonField{"node", &Attempt::node},
                                       JsonField{"containers", &Attempt::containers},
                                       JsonField{"start", &Attempt::start},
                                       JsonField{"end", &Attempt::end},
                                       JsonField{"exitCode", &Attempt::exit_code},
                                       JsonField{"reason", &Attempt::result}};

/// The words that `kml list` uses for the kubelet's reason: "exit code 1" for "Error".
std::string in_words(const Attempt& attempt, int signal) {
  const std::string& reason = attempt.result;
  if (reason == "Completed") return std::string(name_of(State::succeeded));
  if (reason == "Cancelled") return std::string(kCancelledAttempt);
  if (reason == "DeadlineExceeded") return std::string(kTimeLimitReached);
  if (is_reason_of_job(reason)) return std::string(kStoppedWithJob);
  const Json terminated = {
      {"reason", reason}, {"exitCode", attempt.exit_code.value_or(0)}, {"signal", signal}};
  if (std::string words = disruption_in_words(reason); words != reason) return words;
  const std::optional<Cause> cause = exit_cause(terminated, "");
  return cause ? cause->brief : reason;
}

/// The index with the replica's type, as in pod names: "worker-1". The event only has the number.
std::string typed_index(const std::string& number, const std::string& pod, const std::string& job_name) {
  if (number.empty() || !pod.starts_with(job_name + "-")) return number;
  std::string rest = pod.substr(job_name.size() + 1);
  return rest.ends_with("-" + number) ? rest : number;
}

std::optional<Attempt> from_event(const Json& event, const std::string& job_name) {
  std::string text = api::annotation_of(event, api::kAttempt);
  Json json = Json::parse(text, nullptr, false);
  if (api::reason_of(event) != kAttemptEnded || !json.is_object()) return {};
  Attempt attempt;
  read_fields(json, attempt, kAttemptFields);
  if (const Json* index = find(json, {"index"}))
    attempt.index = index->is_string() ? index->get<std::string>() : index->is_number() ? index->dump() : "";
  attempt.index = typed_index(attempt.index, attempt.pod, job_name);
  if (attempt.result == "Preempted")
    add_disruption(attempt, {.reason = std::string(kPreempted), .by = string_at(json, {"by"})});
  else
    attempt.result = in_words(attempt, static_cast<int>(int_at(json, {"signal"})));
  return attempt;
}

Attempt from_pod(const Json& pod) {
  PodView view = view_of_pod(pod);
  Attempt attempt;
  attempt.pod = view.name;
  attempt.uid = api::uid_of(pod);
  attempt.node = view.node;
  attempt.index = index_in_job(pod);
  attempt.start = view.started;
  attempt.end = view.finished;
  attempt.exit_code = view.exit_code;
  attempt.result = view.cause.empty() ? view.phase : view.cause;
  if (const auto disruption = disruption_of(pod)) add_disruption(attempt, *disruption);
  return attempt;
}

/// If the start of an attempt is unknown, its end is used.
void sort_by_start(std::vector<Attempt>& attempts) {
  const auto place = [](const Attempt& attempt) {
    return attempt.start.value_or(attempt.end.value_or(Time::max()));
  };
  std::stable_sort(attempts.begin(), attempts.end(),
                   [&](const Attempt& a, const Attempt& b) { return place(a) < place(b); });
}

/// The disruptions of the job's pods, from the run records, the scheduler's events and the Workload. `pods`
/// are those that the controller has created. Records a disruption that the run records lack.
std::vector<Disruption> known_disruptions(kube::Client& client, const Json& job, const Submissions& records,
                                          const std::vector<Attempt>& attempts, std::set<std::string> pods) {
  std::vector<Disruption> known = records.disruptions()[disruption_key(job)];
  std::set<std::string> named;
  for (const Attempt& attempt : attempts) pods.insert(attempt.pod);
  for (const Disruption& disruption : known)
    if (!disruption.by.empty()) named.insert(disruption.uid);
  const std::string namespace_name = api::namespace_of(job);
  for (ToldPreemption& told : told_preemptions(client, namespace_name)) {
    Disruption& disruption = told.disruption;
    if (named.contains(disruption.uid) || !pods.contains(disruption.pod)) continue;
    disruption.by = preemptor_name(client, namespace_name, told.preemptor);
    for (const Attempt& attempt : attempts)
      if (attempt.uid == disruption.uid) {
        disruption.start = attempt.start;
        disruption.node = attempt.node;
      }
    records.add_disruption(job, disruption);
    known.push_back(std::move(disruption));
  }
  // Kueue suspends a job that it preempts, which deletes the pods. The Workload only shows the last
  // preemption.
  if (auto eviction = read_eviction(client, job);
      eviction && std::none_of(known.begin(), known.end(),
                               [&](const Disruption& other) { return other.uid == eviction->uid; })) {
    records.add_disruption(job, *eviction);
    known.push_back(std::move(*eviction));
  }
  return known;
}

/// Replaces the indexes of an array by the task numbers.
void number_tasks(const Json& job, std::vector<Attempt>& attempts) {
  const auto numbers = task_numbers(api::pod_template_of(job));
  if (!numbers) return;
  for (Attempt& attempt : attempts) {
    const auto index = whole_number(attempt.index);
    if (const auto number = index ? numbers->at(*index) : std::nullopt)
      attempt.index = std::to_string(*number);
  }
}

/// The job's attempts according to these events.
std::vector<Attempt> from_events(const Json& job, std::span<const Json* const> events) {
  std::vector<Attempt> attempts;
  for (const Json* event : events)
    if (api::involved_uid(*event) == api::uid_of(job))
      if (auto attempt = from_event(*event, api::name_of(job))) attempts.push_back(std::move(*attempt));
  return attempts;
}

/// Marks attempts as cancelled. `kml cancel` sets a deadline for running pods; if a pod is only starting,
/// `kml cancel` suspends the job.
void name_cancelled(std::vector<Attempt>& attempts, const Json& job) {
  const auto cancelled = parse_rfc3339(api::annotation_of(job, api::kCancelled));
  for (Attempt& attempt : attempts) {
    const bool suspended = attempt.result == "Suspended" && cancelled && attempt.end >= cancelled;
    if (suspended || attempt.result == kTimeLimitReached) attempt.result = kCancelledAttempt;
  }
}

/// Marks as cancelled the attempt whose pod `kml cancel ARRAY-N` ended.
void name_cancelled_task(std::vector<Attempt>& attempts, const Json& pod) {
  for (Attempt& attempt : attempts)
    if (attempt.uid == api::uid_of(pod)) attempt.result = kCancelledAttempt;
}

std::vector<const Json*> pointers_to(const std::vector<Json>& events) {
  std::vector<const Json*> pointers;
  for (const Json& event : events) pointers.push_back(&event);
  return pointers;
}

}  // namespace

kube::ListOptions about_attempts(const std::string& job) {
  return {.field_selector =
              "reason=" + std::string(kAttemptEnded) + (job.empty() ? "" : ",involvedObject.name=" + job)};
}

std::vector<Json> attempt_events(kube::Client& client, const std::string& namespace_name,
                                 const std::string& job) {
  return client.list(*api::find_kind("v1", "Event"), namespace_name, about_attempts(job)).items;
}

std::vector<Attempt> attempts_in(const Json& job, std::span<const Json* const> pods,
                                 std::span<const Json* const> events, std::vector<Attempt> told,
                                 const std::vector<Disruption>& disruptions) {
  std::vector<Attempt> attempts = from_events(job, events);
  number_tasks(job, attempts);
  std::set<std::string> recorded;
  for (const Attempt& attempt : attempts) recorded.insert(attempt.uid);
  for (const Json* pod : pods)
    if (!recorded.contains(api::uid_of(*pod)))
      attempts.push_back(from_pod(*pod));
    else if (was_cancelled(*pod))
      name_cancelled_task(attempts, *pod);
  sort_by_start(attempts);
  add_told(attempts, std::move(told));
  add_disruptions(attempts, disruptions);
  sort_by_start(attempts);
  say_what_is_unknown(attempts);
  if (state_of(job, false) == State::cancelled) name_cancelled(attempts, job);
  return attempts;
}

std::vector<Attempt> recorded_attempts(kube::Client& client, const Json& job) {
  const std::vector<Json> events = attempt_events(client, api::namespace_of(job), api::name_of(job));
  std::vector<Attempt> attempts = from_events(job, pointers_to(events));
  sort_by_start(attempts);
  return attempts;
}

namespace {

std::set<std::string> names_of_made(const std::map<std::string, long long>& made) {
  std::set<std::string> names;
  for (const auto& [name, times] : made) names.insert(name);
  return names;
}

/// The attempts of pods that the job no longer has. `seen` are the attempts of its other pods.
std::vector<Attempt> gone_attempts(kube::Client& client, const Json& job,
                                   const std::map<std::string, long long>& made,
                                   const std::vector<Attempt>& seen) {
  std::map<std::string, long long> gone = made;
  std::set<std::string> uids;
  for (const Attempt& attempt : seen) {
    if (const auto known = gone.find(attempt.pod); known != gone.end() && --known->second <= 0)
      gone.erase(known);
    uids.insert(attempt.uid);
  }
  std::vector<Attempt> attempts = attempts_of_deleted(client, job, names_of_made(gone), uids);
  number_tasks(job, attempts);
  return attempts;
}

/// What the cluster still has about a job's attempts, and what follows from it.
class AttemptSources {
 public:
  /// `reads_logs`: whether to read what the programs reported, too.
  AttemptSources(kube::Client& client, const Json& job, bool reads_logs)
      : client_(client),
        job_(job),
        events_(attempt_events(client, api::namespace_of(job), api::name_of(job))),
        pods_(pods_of(client, job)) {
    if (reads_logs)
      told_ = told_attempts(client, job, pods_.of(job), client.transport().now() + kLongestForLogs);
    made_ = made_pods(client, job);
    seen_ = attempts({});
    const std::vector<Attempt> gone = gone_attempts(client, job, made_, seen_);
    std::ranges::copy(gone, std::back_inserter(told_));
    std::ranges::copy(gone, std::back_inserter(seen_));
  }

  std::vector<Attempt> attempts(const std::vector<Disruption>& disruptions) const {
    return attempts_in(job_, pods_.of(job_), pointers_to(events_), told_, disruptions);
  }
  /// Like known_disruptions(), whose effect it has.
  std::vector<Disruption> disruptions(const Submissions& records) const {
    return known_disruptions(client_, job_, records, seen_, names_of_made(made_));
  }

 private:
  kube::Client& client_;
  const Json& job_;
  const std::vector<Json> events_;
  const PodsByJob pods_;
  std::map<std::string, long long> made_;
  std::vector<Attempt> told_;  ///< by programs, and by events about pods that are gone
  std::vector<Attempt> seen_;  ///< of existing pods, and of pods that are gone
};

}  // namespace

std::vector<Attempt> attempts_of(kube::Client& client, const Json& job, const Submissions& records) {
  const AttemptSources sources(client, job, true);
  return sources.attempts(sources.disruptions(records));
}

void record_disruptions(kube::Client& client, const Json& job, const Submissions& records) {
  AttemptSources(client, job, false).disruptions(records);
}

GoneRun run_of_gone_pods(kube::Client& client, const Json& job) {
  std::vector<Attempt> attempts = recorded_attempts(client, job);
  std::ranges::copy(gone_attempts(client, job, made_pods(client, job), attempts),
                    std::back_inserter(attempts));
  GoneRun run;
  std::vector<std::pair<Time, Time>> spans;
  for (const Attempt& attempt : attempts)
    if (attempt.start && attempt.end) {
      spans.emplace_back(*attempt.start, *attempt.end);
      run.started = std::min(run.started.value_or(*attempt.start), *attempt.start);
    }
  const auto by_events = std::chrono::floor<std::chrono::seconds>(time_covered(std::move(spans)));
  run.ran = std::max(by_events, time_admitted(client, job));
  return run;
}

bool may_have_run_before(const JobView& view) {
  return view.state == State::failed && !view.started && !view.ran;
}

void add_earlier_run(kube::Client& client, const Json& job, JobView& view) try {
  if (!may_have_run_before(view)) return;
  const GoneRun run = run_of_gone_pods(client, job);
  if (run.ran.count() == 0) return;
  view.started = run.started;
  view.ran = run.ran;
} catch (const Error& error) {
  if (error.code == ErrorCode::interrupted) throw;
}

long long restarts_of(const Json& job) {
  for (const char* field : {"restarts", "retryCount", "retries"})
    if (const long long restarts = int_at(job, {"status", field}); restarts > 0) return restarts;
  return 0;
}

std::string unknown_attempts_in_words(const Json& job, std::span<const Attempt> attempts) {
  std::map<std::string, long long> by_index;
  long long known = 0;
  for (const Attempt& attempt : attempts) known = std::max(known, ++by_index[attempt.index]);
  const long long restarts = restarts_of(job), unknown = restarts + 1 - std::max(known, 1LL);
  if (restarts == 0 || unknown <= 0) return {};
  return fmt::format(
      "its controller has restarted job {} {}; of {} earlier {}, neither pods nor events exist",
      api::name_of(job), restarts == 1 ? "once" : fmt::format("{} times", restarts),
      unknown == 1 ? "one" : std::to_string(unknown), unknown == 1 ? "attempt" : "attempts");
}

std::vector<Attempt> attempts_on_record(const Submissions& records, const std::string& run_id,
                                        const std::string& job_key) {
  std::vector<Attempt> attempts;
  add_disruptions(attempts, records.disruptions()[disruption_key(run_id, job_key)]);
  return attempts;
}

}  // namespace kml::job
