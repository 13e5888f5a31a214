#pragma once

#include "kml/base/clock.h"
#include "pipeline/engine/live_run.h"
#include "pipeline/engine/run_course.h"
#include "pipeline/engine/step_job.h"

namespace kml::pipeline {

/// Makes the descriptions of steps' jobs for the runner.
class StepJobs {
 public:
  /// The arguments must outlive this object.
  StepJobs(const LiveRun& run, const RunCourse& course, const StepRunner& runner, const Clock& clock)
      : run_(run), course_(course), runner_(runner), clock_(clock) {}

  /// The name of the job for an attempt of the step.
  std::string name(const Step& step, int attempt) const;
  /// The job of a running step. Files and folders are passed as paths, other inputs as values.
  StepJob of(const Step& step, bool is_new) const;

 private:
  void add_for_program(StepJob& job, const StepState& state) const;

  const LiveRun& run_;
  const RunCourse& course_;
  const StepRunner& runner_;
  const Clock& clock_;
};

}  // namespace kml::pipeline
