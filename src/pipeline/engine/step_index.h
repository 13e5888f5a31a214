#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kml/pipeline/engine/run_state.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::pipeline {

/// Which of a run's steps are in which phase, so that the engine need not examine all steps after each event.
/// Steps are identified by their index in Pipeline::steps.
class StepIndex {
 public:
  using Places = std::set<size_t>;  ///< the indexes of steps, in the order of the pipeline

  /// Rebuilds the index, because the pipeline's steps have changed or a state was read.
  void rebuild(const Pipeline& pipeline, const RunState& run);
  /// Call this whenever the state of a step has changed.
  void update(const std::string& step, const StepState& state);

  const Places& in(Phase phase) const { return by_phase_[static_cast<size_t>(phase)]; }
  Phase phase(size_t place) const { return phases_[place]; }
  size_t place(const std::string& step) const { return places_.at(step); }
  /// The step whose running attempt has this job.
  std::optional<size_t> of_job(const std::string& job) const;
  /// The steps that a step waits for.
  const std::vector<size_t>& dependencies(size_t place) const { return dependencies_[place]; }

 private:
  std::map<std::string, size_t> places_;
  std::vector<Phase> phases_;
  std::vector<std::vector<size_t>> dependencies_;
  std::array<Places, kPhases> by_phase_;
  std::map<std::string, size_t> jobs_;  ///< running steps by their jobs
};

}  // namespace kml::pipeline
