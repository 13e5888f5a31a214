#pragma once

#include <map>
#include <string>
#include <vector>

#include "kml/engine/journal/job_report.h"
#include "pipeline/engine/step_job.h"
#include "pipeline/runner/step_runner.h"

namespace kml::pipeline {

/// Runs steps that are sweeps, as `kml sweep run --detach` does. A sweep continues when this process ends,
/// and a later engine finds it by its name, which is the job's name.
class SweepSteps {
 public:
  /// The arguments must outlive this object.
  SweepSteps(const StepRunnerOptions& options, const Pipeline& pipeline)
      : options_(options), pipeline_(pipeline) {}

  /// Starts the sweep. If the sweep already exists, continues it, unless it has an engine, or has ended since
  /// an earlier engine started this job. Throws usage Error if the sweep is rejected.
  void start(const StepJob& job);
  void stop(const std::string& sweep);
  bool has(const std::string& sweep) const { return live_.contains(sweep); }
  /// The reports since the last call.
  std::vector<engine::JobReport> reports();
  /// The values of the best trial: "best.lr", "best.value". Throws Error if no trial has a value.
  static Json made_by(const std::string& sweep);

 private:
  struct Live {
    StepJob job;
    bool is_told = false;  ///< whether the step's start was reported
    int starts = 0;        ///< how often the sweep's engine was restarted
  };

  bool continue_killed(Live& live);
  std::vector<std::string> command_line(const StepJob& job) const;

  const StepRunnerOptions& options_;
  const Pipeline& pipeline_;
  std::map<std::string, Live> live_;  ///< by name
};

}  // namespace kml::pipeline
