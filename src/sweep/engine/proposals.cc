#include "sweep/engine/proposals.h"

#include <set>

namespace kml::sweep {

namespace {

std::unique_ptr<Sampler> sampler_for(const SweepState& state) {
  const SweepSpec& spec = state.spec();
  SamplerOptions options;
  options.seed = spec.seed;
  options.startup = spec.startup;
  options.warm_start = state.warm_start();
  options.population = spec.population;
  options.objectives = spec.further.size() + 1;
  if (const StopOptions stops = stop_options(spec.stopping); has_rungs(stops.rule))
    options.rungs = rungs(stops);
  return make_sampler(state.algorithm(), state.space(), options);
}

}  // namespace

Proposals::Proposals(const SweepState& state) : state_(state), sampler_(sampler_for(state)) {}

/// In a deterministic sweep with p parallel trials, trial n depends on the results of trials 0 to n - p,
/// whatever the order in which these arrive.
bool Proposals::is_ready() const {
  const auto& trials = state_.trials();
  if (!state_.spec().deterministic || sampler_->is_static() || state_.lists().running.empty()) return true;
  return *state_.lists().running.begin() + static_cast<std::uint64_t>(state_.spec().parallel) > trials.size();
}

void Proposals::take_history() {
  running_.clear();
  const auto& trials = state_.trials();
  if (state_.spec().deterministic) {
    const auto lag = static_cast<size_t>(state_.spec().parallel) - 1;
    const size_t seen = trials.size() > lag ? trials.size() - lag : 0;
    while (known_.size() < seen) known_.push_back(observation(state_.spec(), trials[known_.size()]));
    for (size_t i = seen; i < trials.size(); ++i)
      running_.push_back({.trial = i, .point = trials[i].point, .lineage = trials[i].lineage});
    return;
  }
  for (; ended_taken_ < state_.lists().ended.size(); ++ended_taken_)
    learn(trials[state_.lists().ended[ended_taken_]]);
  std::set<std::uint64_t> open = state_.lists().running;
  open.insert(state_.lists().paused.begin(), state_.lists().paused.end());
  open.insert(state_.lists().withdrawn.begin(), state_.lists().withdrawn.end());
  for (const std::uint64_t number : open)
    if (const Trial& trial = trials[number]; trial.curve.empty())
      running_.push_back({.trial = number, .point = trial.point, .lineage = trial.lineage});
    else
      learn(trial);
}

/// Gives the sampler the values that a trial has reported so far. For a running trial, does this again
/// whenever the trial has reached another rung.
void Proposals::learn(const Trial& trial) {
  const auto [place, is_new] = place_of_.try_emplace(trial.number, known_.size());
  if (is_new) known_.emplace_back();
  Observation& known = known_[place->second];
  if (!trial.has_ended() && !is_new && known.curve.back().first == trial.curve.back().first) return;
  known = observation(state_.spec(), trial);
  if (!trial.has_ended()) known.state = TrialState::paused;
}

std::optional<Proposals::Proposal> Proposals::next() {
  if (!sampler_->is_static()) take_history();
  const std::uint64_t trial = state_.trials().size();
  std::optional<Point> point = sampler_->propose(trial, {known_, running_});
  if (!point) return {};
  return Proposal{std::move(*point), sampler_->lineage(trial, {known_, running_})};
}

}  // namespace kml::sweep
