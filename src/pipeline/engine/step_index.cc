#include "pipeline/engine/step_index.h"

namespace kml::pipeline {

void StepIndex::rebuild(const Pipeline& pipeline, const RunState& run) {
  *this = {};
  for (const Step& step : pipeline.steps) places_.emplace(step.name, places_.size());
  for (const Step& step : pipeline.steps) {
    std::vector<size_t>& places = dependencies_.emplace_back();
    for (const std::string& name : pipeline::dependencies(step)) places.push_back(place(name));
    by_phase_[static_cast<size_t>(Phase::waiting)].insert(phases_.size());
    phases_.push_back(Phase::waiting);
    update(step.name, run.step(step.name));
  }
}

void StepIndex::update(const std::string& step, const StepState& state) {
  const auto found = places_.find(step);
  if (found == places_.end()) return;
  const size_t place = found->second;
  by_phase_[static_cast<size_t>(phases_[place])].erase(place);
  by_phase_[static_cast<size_t>(state.phase)].insert(place);
  phases_[place] = state.phase;
  if (state.phase == Phase::running)
    jobs_[state.job] = place;
  else
    jobs_.erase(state.job);
}

std::optional<size_t> StepIndex::of_job(const std::string& job) const {
  const auto found = jobs_.find(job);
  return found == jobs_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace kml::pipeline
