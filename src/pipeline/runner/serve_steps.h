#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kml/base/process.h"
#include "kml/engine/journal/job_report.h"
#include "pipeline/engine/step_job.h"
#include "pipeline/runner/step_runner.h"

namespace kml::pipeline {

/// Runs steps that serve a model, by calling `kml serve`. A step succeeds once the server responds. A later
/// engine repeats the command, which changes nothing if it had succeeded.
class ServeSteps {
 public:
  /// The arguments must outlive this object.
  ServeSteps(const StepRunnerOptions& options, const Pipeline& pipeline, const LocalStore& store)
      : options_(options), pipeline_(pipeline), store_(store) {}

  /// Throws usage Error if the step cannot be served.
  void start(const StepJob& job);
  /// Stops waiting for the step. A rollout that has started continues.
  void stop(const std::string& job) { live_.at(job).is_stopped = true; }
  bool has(const std::string& job) const { return live_.contains(job); }
  /// The reports since the last call.
  std::vector<engine::JobReport> reports();
  /// The address of the model, as the output "url".
  Json made_by(const std::string& job) const { return {{"url", {{"value", urls_.at(job)}}}}; }

 private:
  struct Live {
    std::unique_ptr<RunningProcess> process;
    bool is_told = false;  ///< whether the step's start was reported
    bool is_stopped = false;
  };

  std::vector<std::string> command_line(const StepJob& job) const;
  void pin_inputs(const StepJob& job) const;
  std::filesystem::path messages_of(const std::string& job) const;
  engine::JobReport end_of(const std::string& job, Live& live);

  const StepRunnerOptions& options_;
  const Pipeline& pipeline_;
  const LocalStore& store_;
  std::map<std::string, Live> live_;         ///< by job
  std::map<std::string, std::string> urls_;  ///< by job
};

}  // namespace kml::pipeline
