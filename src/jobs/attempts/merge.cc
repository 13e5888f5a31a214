#include "jobs/attempts/merge.h"

#include <algorithm>
#include <set>

namespace kml::jobs {

namespace {

/// Whether the program's start lies within the pod's time. A PyTorchJob's pods share a name.
bool is_within(Time start, const Attempt& pod) {
  return (!pod.start || *pod.start <= start + kClockSkew) && (!pod.end || start <= *pod.end + kClockSkew);
}

}  // namespace

void add_disruption(Attempt& attempt, const Disruption& disruption) {
  if (attempt.preempted && disruption.by.empty()) return;
  attempt.preempted = disruption.reason == kPreempted;
  attempt.preempted_by = disruption.by;
  attempt.result = in_words(disruption);
  if (attempt.uid.empty()) attempt.uid = disruption.uid;
  if (attempt.node.empty()) attempt.node = disruption.node;
}

void add_disruption(std::vector<Attempt>& attempts, const Disruption& disruption) {
  Attempt* befell = nullptr;
  for (Attempt& attempt : attempts) {
    const bool is_other = !attempt.uid.empty() && !disruption.uid.empty() && attempt.uid != disruption.uid;
    if (attempt.pod != disruption.pod || is_other) continue;
    const bool began_before = !attempt.start || *attempt.start <= disruption.time + kClockSkew;
    if (began_before && (!befell || befell->start <= attempt.start)) befell = &attempt;
  }
  if (!befell) {
    befell = &attempts.emplace_back();
    befell->pod = disruption.pod;
    befell->start = disruption.start ? disruption.start : disruption.time;
  }
  add_disruption(*befell, disruption);
}

void add_told(std::vector<Attempt>& attempts, std::vector<Attempt> told) {
  std::set<const Attempt*> taken;
  std::vector<Attempt> alone;
  // The newest first: where a container was started anew in its pod, the API tells of its last run.
  for (auto it = told.rbegin(); it != told.rend(); ++it) {
    const auto match = std::find_if(attempts.begin(), attempts.end(), [&](const Attempt& attempt) {
      return attempt.pod == it->pod && it->start && is_within(*it->start, attempt) &&
             !taken.contains(&attempt);
    });
    if (match == attempts.end()) {
      alone.push_back(std::move(*it));
      continue;
    }
    taken.insert(&*match);
    match->number = it->number;
    match->first_step = it->first_step;
    match->last_step = it->last_step;
    if (match->node.empty()) match->node = it->node;
  }
  for (Attempt& attempt : alone) attempts.push_back(std::move(attempt));
}

void say_what_is_unknown(std::vector<Attempt>& attempts) {
  for (Attempt& attempt : attempts)
    if (attempt.result.empty()) {
      const bool was_followed = std::any_of(attempts.begin(), attempts.end(), [&](const Attempt& other) {
        return other.number && other.number > attempt.number;
      });
      attempt.result = was_followed ? "unknown: it ended without a word" : "Running";
    }
}

}  // namespace kml::jobs
