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

size_t TrialLists::count(Outcome outcome) const {
  const auto found = outcomes.find(outcome);
  return found == outcomes.end() ? 0 : found->second;
}

nanoseconds Sessions::wall_time(Time now) const {
  if (current == Time{}) return earlier;
  return earlier + std::max(now - current, nanoseconds{0});
}

const Trial* SweepState::find(const std::string& job) const {
  const auto found = lists_.by_job.find(job);
  return found == lists_.by_job.end() ? nullptr : &trials_[found->second];
}

bool has_result(const SweepState& state) {
  return state.best() || !state.front().empty();
}

bool has_good_node(const SweepState& state) {
  std::vector<std::string> running_on;
  for (const std::uint64_t number : state.lists().running)
    if (state.trials()[number].is_seen) running_on.push_back(state.trials()[number].node);
  return state.nodes().has_good(running_on);
}

bool may_be_a_bad_node(const SweepState& state) {
  return state.nodes().has_one_failed() && has_good_node(state);
}

std::optional<double> value_of(const SweepSpec& spec, const Trial& trial, size_t objective) {
  if (objective == 0) return trial.value;
  const auto found = trial.metrics.find(spec.further[objective - 1].metric);
  return found == trial.metrics.end() ? std::nullopt : std::optional(found->second);
}

std::vector<double> further_costs(const SweepSpec& spec, const Trial& trial) {
  std::vector<double> costs;
  for (size_t i = 0; i < spec.further.size(); ++i)
    if (const auto value = value_of(spec, trial, i + 1)) costs.push_back(spec.further[i].cost(*value));
  if (costs.size() < spec.further.size()) costs.clear();
  return costs;
}

Observation observation(const SweepSpec& spec, const Trial& trial) {
  Observation seen;
  seen.trial = trial.number;
  seen.point = trial.point;
  seen.state = trial.state;
  seen.granted = trial.until;
  seen.lineage = trial.lineage;
  if (trial.value) seen.objective = spec.objective.cost(*trial.value);
  seen.further = further_costs(spec, trial);
  const bool best_counts = spec.objective.strategy == Objective::Strategy::best;
  double best = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [resource, value] : trial.curve) {
    const double cost = spec.objective.cost(value);
    if (!(cost >= best)) best = cost;
    seen.curve.emplace_back(resource, best_counts ? best : cost);
  }
  return seen;
}

/// The folder's name includes the sweep's id, because an earlier sweep with the same name may have left
/// checkpoints.
std::string checkpoint_folder(const SweepState& state, const std::string& whose) {
  const SweepSpec& spec = state.spec();
  if (spec.checkpoint_folder.empty()) return {};
  return spec.checkpoint_folder + "/" + spec.name + "-" + state.id() + "-" + whose;
}

}  // namespace kml::sweep
