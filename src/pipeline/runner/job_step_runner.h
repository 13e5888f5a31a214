#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kml/engine/watching/job_runner.h"
#include "kml/engine/watching/owned_objects.h"
#include "pipeline/runner/serve_steps.h"
#include "pipeline/runner/step_runner.h"
#include "pipeline/runner/sweep_steps.h"

namespace kml::pipeline {

/// Runs steps as jobs on any server. Derived classes handle their inputs and outputs.
class JobStepRunner : public StepRunner {
 public:
  JobStepRunner(kube::Client& client, StepRunnerOptions options, const Pipeline& pipeline,
                const LocalStore& store, const job::Interrupt& interrupt);

  /// If a step cannot be submitted, only that step fails.
  void start(const std::vector<StepJob>& jobs) override;
  void stop(const std::string& job) override;
  Json made_by(const StepJob& job) final;
  std::vector<engine::JobReport> wait(std::chrono::milliseconds limit) override;

 protected:
  /// Makes sure that the job's inputs are available. If one has disappeared, returns the report that ends the
  /// job.
  virtual std::optional<engine::JobReport> bring_inputs(const StepJob& /*job*/) { return {}; }
  /// Whether made_by() does all work of the step, without a job.
  virtual bool needs_no_job(const StepJob& /*job*/) const { return false; }
  /// The job, and the objects that must exist before it. Throws Error (usage) if the step cannot be
  /// submitted.
  virtual StepObjects objects_for(const StepJob& job) = 0;
  /// StepRunner::made_by() for a step that is a job.
  virtual Json outputs_of(const StepJob& job) = 0;
  /// Makes an object that is deleted with the run, once.
  void make_once(Json object);
  const StepRunnerOptions& options() const { return options_; }
  const Pipeline& pipeline() const { return pipeline_; }
  kube::Client& client() { return client_; }

 private:
  void make(Json object);
  Json made_object(const StepJob& job);

  kube::Client& client_;
  const StepRunnerOptions options_;
  const Pipeline& pipeline_;
  std::set<std::string> with_metrics_;  ///< names of jobs that log metrics
  const std::unique_ptr<engine::JobRunner> runner_;
  SweepSteps sweeps_;
  ServeSteps serves_;
  std::vector<engine::JobReport> ends_;  ///< of jobs that the server does not have
  Json owner_;                           ///< owns the Secrets of all steps, which are deleted with the run
  std::set<std::string> made_;           ///< kinds and names
};

}  // namespace kml::pipeline
