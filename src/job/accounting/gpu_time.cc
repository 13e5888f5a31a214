#include "kml/job/accounting/gpu_time.h"

#include <algorithm>
#include <compare>
#include <map>
#include <tuple>
#include <unordered_map>

#include "job/accounting/coverage.h"
#include "job/attempts/merge.h"
#include "job/capacity/devices.h"
#include "kml/base/text.h"
#include "kml/job/capacity/capacity.h"
#include "kml/job/views/job_view.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/ownership.h"
#include "kml/job/views/pod_view.h"
#include "kml/kube/objects/gang.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

/// Whether the job's pods work on the same steps at the same time.
bool work_together(const Json& job, const JobView& view) {
  return view.pods > 1 && (view.kind != "Job" || api::is_gang(job));
}

/// The GPUs of each pod of the job; empty if they differ.
std::optional<double> gpus_of_each_pod(const Json& job, const JobView& view) {
  if (view.kind == "TrainJob") return static_cast<double>(gpus_of_trainer(job));
  std::optional<double> gpus;
  bool differ = false;
  each_pod_template(job, [&](const Json& pod, int) {
    const auto own = static_cast<double>(gpus_of_pod(api::spec_of(pod)));
    differ = differ || (gpus && *gpus != own);
    gpus = own;
  });
  return differ ? std::nullopt : gpus;
}

/// How time was used if its work was not lost: the job's state decides.
Use use_by_state(State state) {
  return state == State::succeeded   ? Use::well
         : state == State::failed    ? Use::failed
         : state == State::cancelled ? Use::stopped
                                     : Use::open;
}

/// Sorts the time of a job's attempts by how it was used.
class Sorter {
 public:
  Sorter(const Json& job, std::span<const Json* const> pods, const JobView& view, Time now)
      : view_(view),
        is_gang_(work_together(job, view)),
        has_one_lane_(view.pods <= 1 && view.completions <= 1),
        is_ordered_(view.kind != "Job" || api::is_indexed(job)),
        has_numbers_(task_numbers(api::pod_template_of(job))),
        gpus_(gpus_of_each_pod(job, view)),
        now_(now),
        cancelled_(parse_rfc3339(api::annotation_of(job, api::kCancelled))) {
    for (const Json* pod : pods) pods_[api::uid_of(*pod)] = pod;
  }

  std::vector<PodSpan> sorted(const std::vector<Attempt>& attempts) {
    std::map<std::string, std::vector<const Attempt*>> lanes;
    for (const Attempt& attempt : attempts)
      if (attempt.start) lanes[lane_of(attempt)].push_back(&attempt);
    for (const auto& [lane, own] : lanes)
      for (size_t i = 0; i < own.size(); ++i)
        if (const auto share = share_lost(*own[i], i + 1 < own.size() ? own[i + 1] : nullptr))
          add_share(*own[i], *share);
    std::vector<PodSpan> spans;
    for (const auto& [lane, own] : lanes)
      for (const Attempt* attempt : own) add(*attempt, lane, spans);
    return spans;
  }

 private:
  struct Share {
    const Attempt* attempt;
    double lost;  ///< the share of the attempt's time that was lost
  };

  std::string lane_of(const Attempt& attempt) const {
    if (has_one_lane_ || attempt.pod.empty()) return view_.name;
    // The names of pods contain a task's index, which differs from the task's number in an array such as
    // 3,7,11.
    if (has_numbers_ && whole_number(attempt.index)) return view_.name + "-" + attempt.index;
    return is_ordered_ ? base_of_drawn_name(attempt.pod) : attempt.pod;
  }

  const Json* pod_of(const Attempt& attempt) const {
    const auto found = pods_.find(attempt.uid);
    return found == pods_.end() ? nullptr : found->second;
  }

  /// The attempt's end. Empty if it is unknown, and the pod has ended or no longer exists.
  std::optional<Time> end_of(const Attempt& attempt) const {
    if (attempt.end) return std::min(*attempt.end, now_);
    const Json* pod = pod_of(attempt);
    return pod && !api::pod_has_ended(*pod) ? std::optional(now_) : std::nullopt;
  }

  /// The share of the attempt's steps that the next attempt repeated. Empty if the attempt was not disrupted,
  /// if none followed, or if a step is unknown.
  static std::optional<double> share_lost(const Attempt& attempt, const Attempt* next) {
    if (!attempt.disrupted || !next || !next->first_step || !attempt.first_step || !attempt.last_step)
      return {};
    const long long steps = *attempt.last_step - *attempt.first_step + 1;
    const long long again = *attempt.last_step - *next->first_step + 1;
    return steps <= 0 ? 0.0 : static_cast<double>(std::clamp(again, 0LL, steps)) / static_cast<double>(steps);
  }

  void add_share(const Attempt& attempt, double lost) {
    shares_.push_back({&attempt, lost});
    lost_.emplace(&attempt, lost);
  }

  /// The attempt's share of lost time. If the share of an attempt in a gang is unknown, uses the share of a
  /// pod that ran at the same time, because often only one rank reports steps.
  std::optional<double> known_share(const Attempt& attempt) const {
    if (const auto own = lost_.find(&attempt); own != lost_.end()) return own->second;
    if (!is_gang_) return {};
    const auto end = end_of(attempt);
    for (const Share& share : shares_)
      if (const auto other = end_of(*share.attempt);
          end && other && *share.attempt->start < *end && *attempt.start < *other)
        return share.lost;
    return {};
  }

  /// How the time of an attempt that was not disrupted was used.
  Use use_of(const Attempt& attempt) const {
    const Json* pod = pod_of(attempt);
    if (pod && !api::pod_has_ended(*pod) && !attempt.end) return Use::open;
    const std::string& result = attempt.result;
    if (result == name_of(State::succeeded)) return Use::well;
    if (result == "Suspended" || result == kCancelledAttempt) return Use::stopped;
    if (pod && !api::annotation_of(*pod, api::kCancelled).empty()) return Use::stopped;
    if (result == "Deleted" || result == "JobEnded")
      return view_.state == State::failed ? Use::failed : Use::stopped;
    // The attempt may have failed before the job was cancelled.
    return cancelled_ && attempt.end && *attempt.end + kClockSkew >= *cancelled_ ? Use::stopped : Use::failed;
  }

  void add(const Attempt& attempt, const std::string& lane, std::vector<PodSpan>& spans) const {
    const auto end = end_of(attempt);
    const Json* pod = pod_of(attempt);
    const std::optional<double> gpus = pod ? static_cast<double>(gpus_of_pod(api::spec_of(*pod)))
                                       : attempt.pod.empty() ? static_cast<double>(view_.gpus)
                                                             : gpus_;
    if (!end || !gpus || *end < *attempt.start) return;
    const PodSpan whole{*attempt.start, *end, *gpus, Use::unclear, lane, attempt.result, attempt.disrupted};
    if (!attempt.disrupted) {
      spans.push_back(whole);
      spans.back().use = use_of(attempt);
      return;
    }
    const auto share = known_share(attempt);
    if (!share) return spans.push_back(whole);
    PodSpan kept = whole, lost = whole;
    kept.use = use_by_state(view_.state);
    lost.use = Use::lost;
    kept.end = lost.start =
        whole.end -
        nanoseconds(static_cast<long long>(*share * static_cast<double>((whole.end - whole.start).count())));
    if (kept.start < kept.end) spans.push_back(kept);
    if (lost.start < lost.end) spans.push_back(lost);
  }

  const JobView& view_;
  bool is_gang_, has_one_lane_, is_ordered_, has_numbers_;
  std::optional<double> gpus_;
  Time now_;
  std::optional<Time> cancelled_;
  std::map<std::string, const Json*> pods_;  ///< by uid
  std::vector<Share> shares_;
  std::unordered_map<const Attempt*, double> lost_;  ///< each attempt's share of lost time, from `shares_`
};

void describe(JobAccount& account, const Json& job, const JobView& view) {
  account.name = view.name;
  account.submitted = view.submitted;
  account.namespace_name = view.namespace_name;
  account.user = view.user;
  account.pods = std::max(view.pods, 1);
  account.gpus = static_cast<double>(view.gpus);
  account.queue = api::label_of(job, api::kKueueQueue);
  account.project = api::label_of(job, "project");
  account.gpu_type = view.gpus == 0 ? "none" : asked_gpu_type(job);
  if (account.gpu_type.empty()) account.gpu_type = "any";
}

/// Kueue and --after suspend a job, too, but such a job waits.
bool was_cancelled_while_suspended(const Json& job, const JobView& view) {
  return view.state == State::cancelled && api::condition_is_true(job, "Suspended") &&
         api::label_of(job, api::kKueueQueue).empty() && api::annotation_of(job, api::kAfter).empty();
}

}  // namespace

std::string_view name_of(Use use) {
  constexpr std::string_view kNames[kUses] = {"well", "lost", "unclear", "failed", "stopped", "open"};
  return kNames[static_cast<size_t>(use)];
}

std::optional<double> JobAccount::share_covered() const {
  double wanted = 0, known = 0;
  for (const CoveredSpan& span : covered) {
    const double seconds = std::chrono::duration<double>(span.end - span.start).count();
    wanted += span.wanted * seconds;
    known += span.known * seconds;
  }
  return wanted > 0 ? std::optional(known / wanted) : std::nullopt;
}

bool JobAccount::is_unknown() const {
  return spans.empty() && state != name_of(State::waiting) && share_covered().value_or(1) == 0;
}

bool is_older(const JobAccount& a, const JobAccount& b) {
  if (const auto order = std::tie(a.created, a.submitted) <=> std::tie(b.created, b.submitted); order != 0)
    return order < 0;
  return natural_less(a.name, b.name);
}

JobAccount account_of(const Json& job, std::span<const Json* const> pods,
                      const std::vector<Attempt>& attempts, bool keeps_all, Time now, const Json* workload) {
  const JobView view = basic_view_of_job(job, pods);
  JobAccount account;
  account.key = disruption_key(job);
  describe(account, job, view);
  account.state = name_of(view.state);
  account.created = view.created;
  if (has_ended(view.state)) account.finished = view.finished;
  if (view.state == State::suspended || was_cancelled_while_suspended(job, view))
    account.suspended = api::condition(job, "Suspended").since();
  account.spans = Sorter(job, pods, view, now).sorted(attempts);
  const std::vector<IdleTime> idle =
      workload ? idle_times(*workload, account.created, now) : std::vector<IdleTime>();
  account.covered = covered_by(view, pods, attempts, account, idle, keeps_all, now);
  account.disruptions = static_cast<int>(std::count_if(
      attempts.begin(), attempts.end(), [](const Attempt& attempt) { return attempt.disrupted; }));
  return account;
}

JobAccount account_of_record(const Submission& run, const Json& job, Time now) {
  const JobView view = basic_view_of_job(job);
  JobAccount account;
  account.key = disruption_key(run.id, job_key(job));
  describe(account, job, view);
  account.context = run.context;
  account.user = run.user;
  account.namespace_name = string_at(job, {"metadata", "namespace"}, run.namespace_name);
  account.created = run.time;
  account.state = "Unknown";
  if (const auto found = run.outcomes.find(job_key(job)); found != run.outcomes.end()) {
    account.state = name_of(found->second.state);
    account.finished = found->second.finished;
  }
  const Time end = std::min(account.finished.value_or(now), now);
  if (account.created < end) account.covered = {{account.created, end, static_cast<double>(account.pods), 0}};
  return account;
}

}  // namespace kml::job
