#include "kml/jobs/pipeline/step_runner.h"

#include <algorithm>

#include "jobs/pipeline/cluster_step_runner.h"
#include "jobs/pipeline/filled_here.h"
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
  Json outputs_of(const pipeline::StepJob& job) override { return outputs_.made_by(job, folder_of(job)); }
  StepObjects objects_for(const pipeline::StepJob& job) override {
    refuse_lost_outputs(job);
    outputs_.prepare(job);
    return step_objects(options(), pipeline(), job);
  }

  /// Which the paths of outputs are relative to.
  std::filesystem::path folder_of(const pipeline::StepJob& job) {
    const bool has_paths = std::any_of(job.step->outputs.begin(), job.step->outputs.end(), has_path);
    return has_paths ? working_folder(filled_here(options(), pipeline(), job)) : std::filesystem::path();
  }

  static bool has_path(const pipeline::Output& output) { return !output.path.empty(); }

  /// The folder of a pod that has its code with it goes when the pod does.
  void refuse_lost_outputs(const pipeline::StepJob& job) {
    for (const pipeline::Output& output : job.step->outputs)
      if (has_path(output) && std::filesystem::path(output.path).is_relative() && folder_of(job).empty())
        throw usage_error("cannot take output " + output.name + " from " + output.path,
                          "with --code the command starts in a folder that goes with its pod",
                          "let it write to ${out." + output.name + "}, or to an absolute path");
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
