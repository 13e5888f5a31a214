#pragma once

#include "kml/pipeline/journal/record.h"
#include "kml/pipeline/language/pipeline.h"
#include "pipeline/engine/live_run.h"

namespace kml::pipeline {

/// Whether a run still starts steps, and how it ends.
class RunCourse {
 public:
  /// `run` must outlive this object.
  explicit RunCourse(const LiveRun& run) : run_(run) {}

  /// The user has stopped the run.
  void stop() { is_stopping_ = true; }
  bool is_stopping() const { return is_stopping_; }
  /// Whether no new steps start, except those for which goes_on() is true.
  bool is_closing() const { return is_stopping_ || must_halt(); }
  /// Whether the step may start while the run is closing: because it belongs to the run's end or, unless the
  /// run was stopped, because it waits for a retry.
  bool goes_on(const Step& step) const;
  /// Whether a step has failed and its failure ends the run.
  bool has_needed_failed() const;
  /// The run's outcome if it ended now; the steps of onExit are ignored.
  Outcome outcome() const;
  /// The run's outcome now that it ends.
  Outcome last_outcome() const;

 private:
  bool must_halt() const;

  const LiveRun& run_;
  bool is_stopping_ = false;
};

}  // namespace kml::pipeline
