#include "kml/sweep/engine/sweep_state.h"

#include <algorithm>
#include <limits>

namespace kml::sweep {

std::string index_name(const std::string& job, size_t index) {
  return job + "-" + std::to_string(index);
}

record::Judged judged(std::uint64_t trial, const Verdict& verdict, const Objective& objective) {
  record::Judged made{trial, verdict.resource, objective.value(verdict.value)};
  if (verdict.cutoff) made.cutoff = objective.value(*verdict.cutoff);
  made.place = verdict.place;
  made.of = verdict.of;
  made.stops = verdict.stops;
  return made;
}

/// The values of the objectives after the first; empty unless the trial has all of them.
std::vector<double> SweepState::further_costs(const Trial& trial) const {
  std::vector<double> costs;
  for (size_t i = 0; i < spec_->further.size(); ++i)
    if (const auto value = value_of(trial, i + 1)) costs.push_back(spec_->further[i].cost(*value));
  if (costs.size() < spec_->further.size()) costs.clear();
  return costs;
}

std::optional<double> SweepState::value_of(const Trial& trial, size_t objective) const {
  if (objective == 0) return trial.value;
  const auto found = trial.metrics.find(spec_->further[objective - 1].metric);
  return found == trial.metrics.end() ? std::nullopt : std::optional(found->second);
}

const Trial* SweepState::find(const std::string& job) const {
  const auto found = lists_.by_job.find(job);
  return found == lists_.by_job.end() ? nullptr : &trials_[found->second];
}

size_t SweepState::count(Outcome outcome) const {
  const auto found = lists_.outcomes.find(outcome);
  return found == lists_.outcomes.end() ? 0 : found->second;
}

nanoseconds SweepState::wall_time(Time now) const {
  if (sessions_.current == Time{}) return sessions_.earlier;
  return sessions_.earlier + std::max(now - sessions_.current, nanoseconds{0});
}

bool SweepState::has_good_node() const {
  std::vector<std::string> running_on;
  for (const std::uint64_t number : lists_.running)
    if (trials_[number].is_seen) running_on.push_back(trials_[number].node);
  return nodes_.has_good(running_on);
}

bool SweepState::may_be_a_bad_node() const {
  return nodes_.has_one_failed() && has_good_node();
}

/// Includes the sweep's id, because an earlier sweep with the same name may have left checkpoints.
std::string SweepState::checkpoint_folder(const std::string& whose) const {
  if (spec_->checkpoint_folder.empty()) return {};
  return spec_->checkpoint_folder + "/" + spec_->name + "-" + id_ + "-" + whose;
}

Observation SweepState::observation(const Trial& trial) const {
  Observation seen;
  seen.trial = trial.number;
  seen.point = trial.point;
  seen.state = trial.state;
  seen.granted = trial.until;
  seen.lineage = trial.lineage;
  if (trial.value) seen.objective = spec_->objective.cost(*trial.value);
  seen.further = further_costs(trial);
  const bool best_counts = spec_->objective.strategy == Objective::Strategy::best;
  double best = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [resource, value] : trial.curve) {
    const double cost = spec_->objective.cost(value);
    if (!(cost >= best)) best = cost;
    seen.curve.emplace_back(resource, best_counts ? best : cost);
  }
  return seen;
}

}  // namespace kml::sweep
