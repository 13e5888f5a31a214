#pragma once

#include <set>
#include <string>
#include <vector>

#include "kml/pipeline/engine/run_state.h"
#include "kml/pipeline/language/pipeline.h"
#include "pipeline/engine/step_index.h"

namespace kml::pipeline {

/// A run that an engine executes: its steps, its state, and an index of the state.
class LiveRun {
 public:
  /// The pipeline must outlive this object.
  explicit LiveRun(Pipeline& pipeline) : pipeline_(pipeline) {}

  void apply(const Record& record);
  /// Builds the index. Call this after the journal has been read.
  void index() { index_.rebuild(pipeline_, state_); }
  /// Replaces the pipeline's steps because a foreach was expanded, and rebuilds the index.
  void set_steps(std::vector<Step> steps);

  const RunState& state() const { return state_; }
  const record::Run& head() const { return state_.head(); }
  const StepState& state_of(const Step& step) const { return state_.step(step.name); }
  const Pipeline& pipeline() const { return pipeline_; }
  const std::vector<Step>& steps() const { return pipeline_.steps; }
  const Step& step_at(size_t place) const { return pipeline_.steps[place]; }
  const StepIndex& places() const { return index_; }
  /// The step whose running attempt has this job; null if there is none.
  const Step* step_with(const std::string& job) const;
  bool is_running(const std::string& step) const { return state_.step(step).phase == Phase::running; }

  /// The steps that have changed since forget_changes(), in the order of the pipeline.
  std::vector<const Step*> changed() const;
  void forget_changes() { changed_.clear(); }

 private:
  Pipeline& pipeline_;
  RunState state_;
  StepIndex index_;
  std::set<std::string> changed_;
};

}  // namespace kml::pipeline
