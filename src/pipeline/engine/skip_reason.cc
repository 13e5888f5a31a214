#include "pipeline/engine/skip_reason.h"

#include <algorithm>
#include <set>
#include <vector>

namespace kml::pipeline {

namespace {

/// For a run with keepsGoing: the steps whose failure would otherwise have ended the run, and the steps that
/// were skipped because of these failures.
std::set<std::string> hopeless_steps(const LiveRun& run) {
  std::set<std::string> hopeless;
  for (const Step& step : run.steps()) {  // each step comes after those on which it depends
    const Phase phase = run.state_of(step).phase;
    const std::vector<std::string> names = dependencies(step);
    if ((phase == Phase::failed && !step.continues) ||
        (phase == Phase::skipped &&
         std::any_of(names.begin(), names.end(), [&](const auto& name) { return hopeless.contains(name); })))
      hopeless.insert(step.name);
  }
  return hopeless;
}

/// Whether the step has failed, or was skipped because another step failed.
bool is_lost(const LiveRun& run, const Step& step) {
  const Phase phase = run.state_of(step).phase;
  return phase == Phase::failed ||
         (phase == Phase::skipped && std::any_of(step.needs.begin(), step.needs.end(), [&](const auto& name) {
            return is_lost(run, *run.pipeline().find(name));
          }));
}

}  // namespace

std::string reason_to_skip(const Step& step, const LiveRun& run, const StepInputs& inputs,
                           const RunCourse& course) {
  for (const Input& input : step.inputs) {
    const Source* missing = inputs.missing_of(input);
    if (!missing) continue;
    return "input " + input.name + ": " + missing->step + " " +
           (run.state().step(missing->step).phase == Phase::failed ? "failed" : "was skipped");
  }
  if (run.head().keeps_going && !step.at_exit && course.has_needed_failed()) {
    const std::set<std::string> hopeless = hopeless_steps(run);
    for (const std::string& name : dependencies(step))
      if (hopeless.contains(name)) return name + " failed, or could not run";
  }
  for (const std::string& name : step.needs)
    if (is_lost(run, *run.pipeline().find(name))) return name + " failed, or could not run";
  return inputs.unmet_condition(step);
}

}  // namespace kml::pipeline
