#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "jobs/pipeline/sweep_steps.h"
#include "kml/jobs/pipeline/step_runner.h"
#include "kml/jobs/watching/job_runner.h"
#include "kml/jobs/watching/owned_objects.h"

namespace kml::jobs {

/// Steps as jobs on a server, whatever it is; where they leave what they make is to be added.
class JobStepRunner : public pipeline::StepRunner {
 public:
  JobStepRunner(kube::Client& client, StepRunnerOptions options, const pipeline::Pipeline& pipeline,
                const Interrupt& interrupt);

  /// A step that cannot be submitted fails alone.
  void start(const std::vector<pipeline::StepJob>& jobs) override;
  void stop(const std::string& job) override;
  Json made_by(const pipeline::StepJob& job) final;
  std::vector<engine::JobReport> wait(std::chrono::milliseconds limit) override;

 protected:
  /// Makes sure that what the job reads is here. If some of it is gone: the end that this is for the job.
  virtual std::optional<engine::JobReport> bring_inputs(const pipeline::StepJob& /*job*/) { return {}; }
  /// Whether made_by() does all that there is to do.
  virtual bool needs_no_job(const pipeline::StepJob& /*job*/) const { return false; }
  /// What has to be there before the job. Throws Error (usage) if the step cannot be submitted.
  virtual StepObjects objects_for(const pipeline::StepJob& job) = 0;
  /// See StepRunner::made_by(), of a step that is a job.
  virtual Json outputs_of(const pipeline::StepJob& job) = 0;
  /// Makes an object that goes with the run, once.
  void make_once(Json object);
  const StepRunnerOptions& options() const { return options_; }
  const pipeline::Pipeline& pipeline() const { return pipeline_; }
  kube::Client& client() { return client_; }

 private:
  void make(Json object);
  Json made_object(const pipeline::StepJob& job);

  kube::Client& client_;
  const StepRunnerOptions options_;
  const pipeline::Pipeline& pipeline_;
  const std::unique_ptr<JobRunner> runner_;
  SweepSteps sweeps_;
  std::vector<engine::JobReport> ends_;  ///< of what the server does not know
  Json owner_;                           ///< of the Secrets of all steps: what goes with the run
  std::set<std::string> made_;           ///< kinds and names
};

}  // namespace kml::jobs
