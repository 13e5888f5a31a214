#include "sweep/engine/next_trials.h"

#include <algorithm>
#include <string>
#include <utility>

namespace kml::sweep {

NextTrials::NextTrials(const SweepState& state, const StopOptions& stops, SweepDecisions& decisions,
                       Measurements& measurements, TrialStarts& starts)
    : state_(state),
      stops_(stops),
      decisions_(decisions),
      measurements_(measurements),
      starts_(starts),
      proposals_(state),
      withdrawn_(state.lists().withdrawn.rbegin(), state.lists().withdrawn.rend()) {}

bool NextTrials::begin() {
  if (begin_withdrawn() || promote()) return true;
  if (is_exhausted_ || state_.trials().size() >= state_.spec().budget.trials)
    return !awaits_results() && promote_leader();
  ask();
  return true;
}

std::optional<record::End> NextTrials::end() const {
  if (awaits_results()) return {};
  if (is_exhausted_) return record::End::of(record::End::Kind::space_tried);
  const std::uint64_t trials = state_.spec().budget.trials;
  return record::End{.reason = trials == 1 ? "its trial is done"
                                           : "all " + std::to_string(trials) + " trials are done"};
}

void NextTrials::ask() {
  const std::optional<Proposals::Proposal> proposal = proposals_.next();
  if (!proposal) {
    is_exhausted_ = true;
    return;
  }
  decisions_.decide(
      record::Asked{state_.trials().size(), state_.space().assignment(proposal->point), proposal->lineage});
  starts_.begin_first(state_.trials().back());
}

/// Restarts a trial that was withdrawn when an earlier engine was stopped.
bool NextTrials::begin_withdrawn() {
  if (withdrawn_.empty()) return false;
  const Trial& trial = state_.trials()[withdrawn_.back()];
  withdrawn_.pop_back();
  starts_.begin(trial, trial.rung, trial.attempt + 1, trial.until);
  return true;
}

/// Promotes the best trial of a rung, if one is due.
bool NextTrials::promote() {
  if (!state_.spec().stopping.promote) return false;
  const std::optional<Promotion> promotion = next_promotion(stops_, measurements_.all_observations());
  if (!promotion) return false;
  const Trial& trial = state_.trials()[promotion->trial];
  starts_.begin(trial, trial.rung + 1, 0, promotion->resource);
  return true;
}

/// Called after the last trial. With few trials, it can happen that no trial has run to its end. In that
/// case, promotes the trial that came farthest; if there are several, the best of those.
bool NextTrials::promote_leader() {
  if (state_.lists().count(Outcome::complete) > 0) return false;
  const Trial* leader = nullptr;
  const auto key = [&](const Trial& trial) {
    return std::pair(-trial.until, observation(state_.spec(), trial).curve.back().second);
  };
  for (const std::uint64_t number : state_.lists().paused) {
    const Trial& trial = state_.trials()[number];
    if (!trial.curve.empty() && (!leader || key(trial) < key(*leader))) leader = &trial;
  }
  if (!leader) return false;
  const std::vector<double> levels = rungs(stops_, bracket_of(stops_, leader->number));
  const auto next = std::upper_bound(levels.begin(), levels.end(), leader->until);
  starts_.begin(*leader, leader->rung + 1, 0, next == levels.end() ? stops_.max : *next);
  return true;
}

}  // namespace kml::sweep
