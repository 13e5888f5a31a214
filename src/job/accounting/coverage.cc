#include "job/accounting/coverage.h"

#include <algorithm>
#include <map>
#include <set>

#include "kml/job/views/pod_view.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

/// Allowed difference between times: a controller needs a moment to replace a pod, the API rounds to whole
/// seconds, and clocks differ.
constexpr std::chrono::seconds kSlack{5};

/// Changes in the number of known pods, in the number of pods that have succeeded and need no successor, and
/// in whether the job had no pods.
class Steps {
 public:
  void add_pods(Time start, Time end, int count = 1) {
    steps_[start - kSlack].known += count;
    steps_[end + kSlack].known -= count;
  }
  void add_idle(Time start, Time end) {
    if (start >= end) return;
    steps_[start].idle += 1;
    steps_[end].idle -= 1;
  }
  void add_success(Time at) { steps_[at].done += 1; }
  void add_suspended(Time start) { steps_[start].suspended = true; }

  std::vector<CoveredSpan> between(Time begin, Time end, int slots, int completions) {
    std::vector<CoveredSpan> spans;
    steps_[begin];
    steps_[end];
    Step sum;
    for (auto at = steps_.begin(); at != steps_.end() && at->first < end; ++at) {
      sum.known += at->second.known;
      sum.done += at->second.done;
      sum.idle += at->second.idle;
      sum.suspended = sum.suspended || at->second.suspended;
      const int wanted = std::min(slots, completions - sum.done);
      if (at->first < begin || wanted <= 0) continue;
      const int known = sum.suspended || sum.idle > 0 ? wanted : std::min(sum.known, wanted);
      const Time next = std::min(std::next(at)->first, end);
      spans.push_back({at->first, next, static_cast<double>(wanted), static_cast<double>(known)});
    }
    return spans;
  }

 private:
  struct Step {
    int known = 0, done = 0, idle = 0;
    bool suspended = false;
  };
  std::map<Time, Step> steps_;
};

}  // namespace

std::vector<CoveredSpan> covered_by(const JobView& view, std::span<const Json* const> pods,
                                    const std::vector<Attempt>& attempts, const JobAccount& account,
                                    std::span<const IdleTime> idle, bool keeps_all, Time now) {
  const Time end = std::min(account.finished.value_or(now), now);
  if (end <= account.created) return {};
  const auto slots = static_cast<double>(account.pods);
  if (keeps_all) return {{account.created, end, slots, slots}};
  Steps steps;
  std::set<std::string> present;
  for (const Json* pod : pods) {
    const PodView seen = basic_view_of_pod(*pod);
    present.insert(api::uid_of(*pod));
    const bool has_ended = api::pod_has_ended(*pod);
    const Time begin = api::created_at(*pod).value_or(seen.started.value_or(end));
    // If a pod has ended but its end is unknown, only the time until its start is covered.
    const Time last = has_ended ? seen.finished.value_or(seen.started.value_or(begin)) : end;
    steps.add_pods(begin, last);
    if (api::phase_of(*pod) == "Succeeded") steps.add_success(last);
  }
  for (const Attempt& attempt : attempts)
    if (attempt.start && attempt.end && !present.contains(attempt.uid)) {
      steps.add_pods(*attempt.start, *attempt.end, attempt.pod.empty() ? account.pods : 1);
      if (attempt.result == name_of(State::succeeded)) steps.add_success(*attempt.end);
    }
  for (const auto& [from, to] : idle) steps.add_idle(from, to);
  if (account.suspended) steps.add_suspended(*account.suspended);
  return steps.between(account.created, end, account.pods, std::max(view.completions, 1));
}

}  // namespace kml::job
