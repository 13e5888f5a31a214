#pragma once

#include "kml/pipeline/journal/record.h"
#include "kml/pipeline/language/pipeline.h"
#include "pipeline/engine/live_run.h"

namespace kml::pipeline {

/// Decides whether a run still starts steps, and how it ends.
class RunCourse {
 public:
  /// `run` must outlive this object.
  explicit RunCourse(const LiveRun& run) : run_(run) {}

  /// Call this when the user has stopped the run.
  void stop() { is_stopping_ = true; }
  bool is_stopping() const { return is_stopping_; }
  /// Whether no new steps start, except those for which goes_on() returns true.
  bool is_closing() const { return is_stopping_ || must_halt(); }
  /// Whether the step may start while the run is closing. It may if it is a step of onExit, or if it waits
  /// for a retry and the run was not stopped.
  bool goes_on(const Step& step) const;
  /// Whether a step has failed that the run needs.
  bool has_needed_failed() const;
  /// The outcome if the run ended now. Ignores the steps of onExit.
  Outcome outcome() const;
  /// The outcome when the run has ended.
  Outcome last_outcome() const;

 private:
  bool must_halt() const;

  const LiveRun& run_;
  bool is_stopping_ = false;
};

}  // namespace kml::pipeline
