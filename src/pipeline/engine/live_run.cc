#include "pipeline/engine/live_run.h"

#include <utility>

namespace kml::pipeline {

void LiveRun::apply(const Record& record) {
  state_.apply(record);
  const std::string* step = step_of(record);
  if (!step) return;
  index_.update(*step, state_.step(*step));
  changed_.insert(*step);
}

void LiveRun::set_steps(std::vector<Step> steps) {
  pipeline_.steps = std::move(steps);
  index();
}

const Step* LiveRun::step_with(const std::string& job) const {
  const auto place = index_.of_job(job);
  return place ? &step_at(*place) : nullptr;
}

std::vector<const Step*> LiveRun::changed() const {
  StepIndex::Places places;
  for (const std::string& step : changed_) places.insert(index_.place(step));
  std::vector<const Step*> steps;
  for (const size_t place : places) steps.push_back(&step_at(place));
  return steps;
}

}  // namespace kml::pipeline
