#pragma once

#include <map>
#include <string>
#include <vector>

#include "kml/engine/job_report.h"
#include "kml/jobs/pipeline/step_runner.h"
#include "kml/pipeline/engine.h"

namespace kml::jobs {

/// Steps that are sweeps: each runs as `kml sweep run --detach` does, so that it goes on when this process
/// ends, and an engine that comes later finds it by its name, the job's.
class SweepSteps {
 public:
  /// All must outlive it.
  SweepSteps(const StepRunnerOptions& options, const pipeline::Pipeline& pipeline)
      : options_(options), pipeline_(pipeline) {}

  /// Begins the sweep, continues one that nobody runs, or watches one that runs. Throws Error (usage) if it
  /// is refused.
  void start(const pipeline::StepJob& job);
  void stop(const std::string& sweep);
  bool has(const std::string& sweep) const { return live_.contains(sweep); }
  /// What happened since.
  std::vector<engine::JobReport> reports();
  /// The best trial's values: "best.lr", "best.value". Throws Error if no trial has one.
  static Json made_by(const std::string& sweep);

 private:
  std::vector<std::string> command_line(const pipeline::StepJob& job) const;

  const StepRunnerOptions& options_;
  const pipeline::Pipeline& pipeline_;
  std::map<std::string, bool> live_;  ///< by name; whether it was told that it runs
};

}  // namespace kml::jobs
