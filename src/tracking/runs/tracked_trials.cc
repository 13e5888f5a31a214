#include "tracking/runs/tracked_trials.h"

#include <string>
#include <utility>

namespace kml::tracking {

namespace {

std::string state_of_trial(const sweep::Trial& trial) {
  if (!trial.outcome) return trial.state == sweep::TrialState::running ? "Running" : "Waiting";
  if (*trial.outcome == sweep::Outcome::complete) return "Succeeded";
  return *trial.outcome == sweep::Outcome::pruned ? "Stopped" : "Failed";
}

}  // namespace

std::vector<TrackedTrial> tracked_trials(const sweep::SweepState& state, const TrackedRun& parent) {
  std::vector<TrackedTrial> trials;
  for (const sweep::Trial& trial : state.trials()) {
    const std::string number = std::to_string(trial.number);
    TrackedRun run;
    run.id = parent.id + "/" + number;
    run.kind = "trial";
    run.name = parent.name + " trial " + number;
    run.target = parent.target;
    run.state = state_of_trial(trial);
    if (trial.outcome && *trial.outcome != sweep::Outcome::complete)
      run.cause = trial.cause.empty() ? sweep::in_words(*trial.outcome) : trial.cause;
    run.time = trial.asked;
    run.finished = trial.ended;
    for (const auto& [name, value] : trial.values.items()) run.parameters[name] = value;
    if (!trial.job.empty()) run.facts["job"] = trial.job;

    const Time when = trial.ended.value_or(trial.asked);
    MetricCourses courses;
    for (const auto& [name, value] : trial.metrics) courses[name] = {{0, value, when}};
    std::vector<MetricPoint>& curve = courses[state.spec().objective.metric];
    curve.clear();
    for (const auto& [step, value] : trial.curve)
      curve.push_back({static_cast<long long>(step), value, when});
    if (curve.empty() && trial.value) curve = {{0, *trial.value, when}};
    for (const auto& [name, last] : trial.diverged)
      courses[name].push_back({static_cast<long long>(last.first), last.second, when});
    trials.push_back({std::move(run), std::move(courses)});
  }
  return trials;
}

}  // namespace kml::tracking
