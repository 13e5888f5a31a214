#include "pipeline/runner/step_runner.h"

#include <algorithm>

#include "kml/base/input_faults.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/labels.h"
#include "pipeline/engine/local_outputs.h"
#include "pipeline/runner/cluster_step_runner.h"
#include "pipeline/runner/filled_here.h"
#include "pipeline/runner/job_step_runner.h"
#include "pipeline/runner/local_recording.h"

namespace kml::pipeline {

namespace {

/// Lets the job fail, not only its step, if the program does not write its outputs. The first template's pods
/// include rank 0. Of pods without ranks, any may be the one that writes.
void require_outputs(Json& object, const Json& paths) {
  const bool has_ranks = string_at(object, {"spec", "completionMode"}) == "Indexed";
  bool is_first = !job::is_plain_job(object) || has_ranks || int_at(object, {"spec", "completions"}, 1) == 1;
  job::each_pod_template(object, [&](Json& pod, int) {
    if (is_first && !paths.empty()) pod["metadata"]["annotations"][api::kOutputs] = paths.dump();
    is_first = false;
  });
}

/// Runs steps on the embedded server, where steps and the engine share the disk.
class LocalStepRunner final : public JobStepRunner {
 public:
  LocalStepRunner(kube::Client& client, StepRunnerOptions options, const Pipeline& pipeline,
                  const LocalStore& store, const job::Interrupt& interrupt)
      : JobStepRunner(client, std::move(options), pipeline, store, interrupt),
        store_(store),
        outputs_(store),
        recording_(this->options(), store) {}

  std::string output_place(const std::string& run, const Step& step, int attempt,
                           const Output& output) const override {
    return outputs_.place(run, step, attempt, output);
  }
  bool shares_folder() const override { return true; }
  std::optional<std::string> take_record(const StepJob& job) override { return recording_.take(job); }

 private:
  std::optional<engine::JobReport> bring_inputs(const StepJob& job) override;
  Json outputs_of(const StepJob& job) override;
  StepObjects objects_for(const StepJob& job) override {
    refuse_lost_outputs(job);
    outputs_.prepare(job);
    StepObjects objects = step_objects(options(), pipeline(), job);
    require_outputs(objects.job, outputs_.required(job, folder_of(job)));
    recording_.put_into(objects.job, job, starts_in_folder(job));
    return objects;
  }

  /// Whether the command starts in a folder of this machine, not in a pod's own copy of its code.
  bool starts_in_folder(const StepJob& job) const {
    return !working_folder(filled_here(options(), pipeline(), job)).empty() &&
           std::none_of(options().defaults.begin(), options().defaults.end(),
                        [](const spec::Setting& setting) { return setting.name == "code"; });
  }

  /// The folder to which the relative paths of outputs refer.
  std::filesystem::path folder_of(const StepJob& job) {
    const bool has_paths = std::any_of(job.step->outputs.begin(), job.step->outputs.end(), has_path);
    return has_paths ? working_folder(filled_here(options(), pipeline(), job)) : std::filesystem::path();
  }

  static bool has_path(const Output& output) { return !output.path.empty(); }

  /// Throws Error for outputs in a pod's own copy of the code, because that folder is deleted with the pod.
  void refuse_lost_outputs(const StepJob& job) {
    for (const Output& output : job.step->outputs)
      if (has_path(output) && std::filesystem::path(output.path).is_relative() && folder_of(job).empty())
        throw usage_error("cannot take output " + output.name + " from " + output.path,
                          "with --code, the command starts in a folder that is deleted with the pod",
                          "let the command write to ${out." + output.name + "}, or to an absolute path");
  }

  const LocalStore& store_;
  const LocalOutputs outputs_;
  LocalRecording recording_;
};

/// Outputs that another machine has made are only fetched when a step reads them.
std::optional<engine::JobReport> LocalStepRunner::bring_inputs(const StepJob& job) {
  S3Store* shared = options().shared;
  for (const auto& [name, made] : job.inputs.items()) {
    if (!shared || string_at(made, {"store"}) != shared->name() ||
        store_.has(string_at(made, {"path"}), string_at(made, {"digest"})))
      continue;
    try {
      shared->fetch(made);
    } catch (const Error& error) {
      if (error.reason != kTreeGone) throw;
      return engine::JobReport{.kind = engine::JobReport::Kind::ended,
                               .job = job.name,
                               .time = system_clock().now(),
                               .cause = "input " + name + kInputMissing + error.why,
                               .lost_input = name};
    }
  }
  return {};
}

Json LocalStepRunner::outputs_of(const StepJob& job) {
  Json outputs = outputs_.made_by(job, folder_of(job));
  if (S3Store* shared = options().shared)
    for (Json& made : outputs) {
      if (!made.is_object() || !made.contains("digest")) continue;
      shared->send(made);
      made["store"] = shared->name();
    }
  return outputs;
}

}  // namespace

std::unique_ptr<StepRunner> make_step_runner(kube::Client& client, StepRunnerOptions options,
                                             const Pipeline& pipeline, const LocalStore& store,
                                             const job::Interrupt& interrupt) {
  if (!options.is_local)
    return make_cluster_step_runner(client, std::move(options), pipeline, store, interrupt);
  return std::make_unique<LocalStepRunner>(client, std::move(options), pipeline, store, interrupt);
}

}  // namespace kml::pipeline
