#include "kml/jobs/pipeline/step_runner.h"

#include "jobs/pipeline/cluster_step_runner.h"
#include "jobs/pipeline/job_step_runner.h"
#include "kml/pipeline/local_outputs.h"

namespace kml::jobs {

namespace {

/// On the embedded server: steps and engine have the same disk.
class LocalStepRunner final : public JobStepRunner {
 public:
  LocalStepRunner(kube::Client& client, StepRunnerOptions options, const pipeline::Pipeline& pipeline,
                  const pipeline::LocalStore& store, const Interrupt& interrupt)
      : JobStepRunner(client, std::move(options), pipeline, interrupt), outputs_(store) {}

  std::string output_place(const std::string& run, const pipeline::Step& step, int attempt,
                           const pipeline::Output& output) const override {
    return outputs_.place(run, step, attempt, output);
  }

 private:
  Json outputs_of(const pipeline::StepJob& job) override { return outputs_.made_by(job); }
  StepObjects objects_for(const pipeline::StepJob& job) override {
    outputs_.prepare(job);
    return step_objects(options(), pipeline(), job);
  }

  const pipeline::LocalOutputs outputs_;
};

}  // namespace

std::unique_ptr<pipeline::StepRunner> make_step_runner(kube::Client& client, StepRunnerOptions options,
                                                       const pipeline::Pipeline& pipeline,
                                                       const pipeline::LocalStore& store,
                                                       const Interrupt& interrupt) {
  if (!options.is_local)
    return make_cluster_step_runner(client, std::move(options), pipeline, store, interrupt);
  return std::make_unique<LocalStepRunner>(client, std::move(options), pipeline, store, interrupt);
}

}  // namespace kml::jobs
