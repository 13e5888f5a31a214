#pragma once

#include <map>
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

/// Runs steps as jobs on any server. Derived classes handle the inputs and outputs.
class JobStepRunner : public StepRunner {
 public:
  JobStepRunner(kube::Client& client, StepRunnerOptions options, const Pipeline& pipeline,
                const LocalStore& store, const job::Interrupt& interrupt);

  /// If a step cannot be submitted, only that step fails.
  void start(const std::vector<StepJob>& jobs) override;
  void stop(const std::string& job) override;
  Json made_by(const StepJob& job) final;
  std::vector<engine::JobReport> wait(std::chrono::milliseconds limit) override;
  std::string lock_of(const StepJob& job) const override;

 protected:
  /// Makes the job's inputs available. If an input has disappeared, returns the report that ends the job.
  virtual std::optional<engine::JobReport> bring_inputs(const StepJob& /*job*/) { return {}; }
  /// Whether made_by() does all the work of the step, so that no job is needed.
  virtual bool needs_no_job(const StepJob& /*job*/) const { return false; }
  /// The job, and the objects that must exist before it. Throws usage Error if the step cannot be submitted.
  virtual StepObjects objects_for(const StepJob& job) = 0;
  /// Called for StepRunner::made_by(), unless the step is a sweep, serves a model or is about an object.
  virtual Json outputs_of(const StepJob& job) = 0;
  /// Creates an object that is deleted with the run, unless this was already done.
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
  std::set<std::string> with_metrics_;  ///< the names of jobs that log metrics
  const std::unique_ptr<engine::JobRunner> runner_;
  SweepSteps sweeps_;
  ServeSteps serves_;
  std::vector<engine::JobReport> ends_;  ///< reports about jobs that do not exist on the server
  /// owns the Secrets and ConfigMaps of all steps, so that they are deleted with the run
  Json owner_;
  std::map<std::string, std::string> locks_;  ///< the digests of locks, by the names of jobs
  std::set<std::string> made_;                ///< the kinds and names of objects created by make_once()
};

}  // namespace kml::pipeline
