#include "sweep/engine/end_reasons.h"

#include <algorithm>
#include <cstdint>

namespace kml::sweep {

namespace {

/// If this many trials fail and none has succeeded, it is probably a mistake, not bad luck.
constexpr size_t kFirstFailures = 3;
constexpr int kFailuresInARow = 5;

/// How many GPU seconds will have been used when all running trials and one more have ended, if each takes as
/// long as the average.
double gpu_seconds_with_another(const SweepState& state) {
  double used = 0, users = 0;
  for (const Trial& trial : state.trials())
    if (trial.has_ended() && trial.gpu_seconds > 0) used += trial.gpu_seconds, ++users;
  if (users == 0) return 0;
  return state.gpu_seconds() + used / users * static_cast<double>(state.lists().running.size() + 1);
}

}  // namespace

bool has_reached_goal(const SweepState& state) {
  const Objective& objective = state.spec().objective;
  return state.best() && objective.goal &&
         objective.cost(*state.trials()[*state.best()].value) <= objective.cost(*objective.goal);
}

std::string too_many_failures(const SweepState& state) {
  const SweepSpec& spec = state.spec();
  const size_t failed = state.lists().ended.size() - state.lists().count(Outcome::complete) -
                        state.lists().count(Outcome::pruned) - state.lists().count(Outcome::diverged);
  if (spec.max_failed && failed > static_cast<size_t>(*spec.max_failed))
    return "more than " + std::to_string(*spec.max_failed) +
           (*spec.max_failed == 1 ? " trial failed" : " trials failed");
  return {};
}

std::string reason_to_hold(const SweepState& state, const Measurements& measurements) {
  if (state.spec().max_failed) return {};  // the user has set the limit
  const int failures = state.nodes().failures_in_a_row();
  const size_t ended = state.lists().ended.size();
  const bool all_fail =
      failures >= kFailuresInARow || (ended >= kFirstFailures && failures == static_cast<int>(ended));
  const auto reports = [&](std::uint64_t trial) {
    const Progress* progress = measurements.progress(trial);
    return progress && progress->has_value();
  };
  const auto& running = state.lists().running;
  if (!all_fail || may_be_a_bad_node(state) || std::any_of(running.begin(), running.end(), reports))
    return {};
  std::string cause;
  for (const std::uint64_t trial : state.lists().ended)
    if (state.trials()[trial].state == TrialState::failed) cause = state.trials()[trial].cause;
  return std::to_string(failures) + " trials failed one after another: " + cause.substr(0, cause.find('\n'));
}

std::string used_up(const SweepState& state, Time now) {
  const Budget& budget = state.spec().budget;
  if (budget.wall_time && state.sessions().wall_time(now) >= *budget.wall_time) return "the time is used up";
  if (budget.gpu_hours && (state.gpu_seconds() >= *budget.gpu_hours * 3600 ||
                           gpu_seconds_with_another(state) > *budget.gpu_hours * 3600))
    return "the GPU hours are used up";
  return {};
}

}  // namespace kml::sweep
