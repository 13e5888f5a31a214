#include "sweep/engine/measurements.h"

#include <utility>

namespace kml::sweep {

namespace {

/// The values that a trial's last job reported, after the values of its earlier jobs.
Curve joined(Curve earlier, const Curve& last) {
  if (!last.empty())
    std::erase_if(earlier, [&](const auto& point) { return point.first >= last.front().first; });
  earlier.insert(earlier.end(), last.begin(), last.end());
  return earlier;
}

}  // namespace

void Measurements::add(const Trial& trial, const TrialReport& report) {
  progress_[trial.number].add(state_.spec().objective, report.metric, report.step, report.value,
                              report.is_of_earlier_step);
}

const Progress* Measurements::progress(std::uint64_t trial) const {
  const auto found = progress_.find(trial);
  return found == progress_.end() ? nullptr : &found->second;
}

Observation Measurements::observation(const Trial& trial) const {
  const Progress* progress = this->progress(trial.number);
  const double known = trial.curve.empty() ? 0 : trial.curve.back().first;
  if (!progress || progress->last_step() < known) return sweep::observation(state_.spec(), trial);
  Trial now = trial;
  now.curve = joined(trial.curve, {progress->all().begin(), progress->all().end()});
  return sweep::observation(state_.spec(), now);
}

/// The observations of ended trials no longer change, so only the others are updated.
const std::vector<Observation>& Measurements::all_observations() {
  const auto is_final = [](TrialState state) {
    return state != TrialState::running && state != TrialState::paused;
  };
  observations_.resize(state_.trials().size());
  for (const Trial& trial : state_.trials())
    if (Observation& known = observations_[trial.number]; !is_final(known.state)) known = observation(trial);
  return observations_;
}

Trial Measurements::updated(Trial trial) const {
  const Progress* progress = this->progress(trial.number);
  if (!progress) return trial;
  const bool at_rungs = has_rungs(stops_.rule);
  trial.curve =
      joined(std::move(trial.curve),
             progress->curve(state_.spec().objective, at_rungs ? rungs(stops_) : std::vector<double>{}));
  for (const auto& [name, value] : progress->metrics()) trial.metrics[name] = value;
  trial.diverged = progress->diverged(state_.spec().objective);
  for (const auto& [name, last] : trial.diverged) trial.metrics.erase(name);
  return trial;
}

Trial Measurements::so_far(const Trial& trial) const {
  return keeps_checkpoints() ? updated(trial) : trial;
}

std::optional<double> Measurements::value_of(const Trial& trial) const {
  const Objective& objective = state_.spec().objective;
  const Curve earlier = keeps_checkpoints() || trial.state == TrialState::paused ? trial.curve : Curve{};
  const Progress* progress = this->progress(trial.number);
  if (objective.strategy == Objective::Strategy::latest) {
    if (progress && progress->has_value()) return progress->latest();
    return earlier.empty() ? std::nullopt : std::optional(earlier.back().second);
  }
  std::optional<double> best;
  if (progress && progress->has_value()) best = progress->value(objective);
  for (const auto& [resource, value] : earlier)
    if (!best || !(objective.cost(value) >= objective.cost(*best))) best = value;
  return best;
}

}  // namespace kml::sweep
