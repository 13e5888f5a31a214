#include "kml/jobs/pipeline/step_runner.h"

#include <algorithm>
#include <iostream>

#include "jobs/pipeline/filled_here.h"
#include "jobs/pipeline/sweep_steps.h"
#include "kml/api/labels.h"
#include "kml/api/object.h"
#include "kml/jobs/submit/submit.h"
#include "kml/jobs/views/kinds.h"
#include "kml/jobs/watching/job_runner.h"
#include "kml/jobs/watching/owned_objects.h"
#include "kml/pipeline/local_outputs.h"

namespace kml::jobs {

namespace {

SubmitRequest request_for(const StepRunnerOptions& options, const pipeline::Pipeline& pipeline,
                          const pipeline::StepJob& job) {
  pipeline::FilledStep filled = filled_here(options, pipeline, job);
  SubmitRequest request;
  request.settings = options.defaults;
  request.settings.insert(request.settings.end(), filled.settings.begin(), filled.settings.end());
  request.settings.push_back({"name", job.name, {}});
  request.settings.push_back({"env", "KML_RUN=" + options.run, {}});
  request.settings.push_back({"env", "KML_STEP=" + job.step->name, {}});
  request.command = std::move(filled.command);
  request.template_folders = options.template_folders;
  request.namespace_name = options.namespace_name;
  request.is_local = options.is_local;
  request.submit_id = options.id;
  request.secret_object = "kml-run-" + job.name;
  request.code_suffix = "-" + options.id;
  return request;
}

/// The run's labels, on the job and its pods; and retries are the engine's.
void mark_as_step(Json& object, const StepRunnerOptions& options, const pipeline::Step& step) {
  const Json labels = {{api::kRun, options.run}, {api::kStep, step.name}, {api::kSubmitId, options.id}};
  object["metadata"]["labels"].update(labels);
  if (api::kind_name(object) == "Job") object["spec"]["backoffLimit"] = 0;
  each_pod_template(object, [&](Json& pod, int) { pod["metadata"]["labels"].update(labels); });
}

EngineMarks marks_of(const StepRunnerOptions& options) {
  return {"run", std::string(api::kRun), options.run, options.id, options.namespace_name};
}

WatchOptions watch_options(const StepRunnerOptions& options, const pipeline::Pipeline& pipeline) {
  std::vector<std::string> metrics;
  for (const pipeline::Step& step : pipeline.steps)
    for (const pipeline::Output& output : step.outputs)
      if (output.kind == pipeline::OutputKind::metric) metrics.push_back(output.metric);
  return {.label_selector = std::string(api::kRun) + "=" + options.run + "," + std::string(api::kSubmitId) +
                            "=" + options.id,
          .submit_id = options.id,
          .namespace_name = options.namespace_name,
          .taken = {"this run", "a step's job needs that name", "start another run"},
          .metrics = metrics,
          .on_retry = options.on_retry};
}

class JobStepRunner final : public pipeline::StepRunner {
 public:
  JobStepRunner(kube::Client& client, StepRunnerOptions options, const pipeline::Pipeline& pipeline,
                const pipeline::LocalStore& store, const Interrupt& interrupt)
      : client_(client),
        outputs_(store),
        options_(std::move(options)),
        pipeline_(pipeline),
        runner_(make_job_runner(client, watch_options(options_, pipeline), interrupt)) {}

  /// A step that cannot be submitted fails alone.
  void start(const std::vector<pipeline::StepJob>& jobs) override {
    std::vector<Json> objects;
    for (const pipeline::StepJob& job : jobs) try {
        if (is_sweep(*job.step)) {
          sweeps_.start(job);
          continue;
        }
        outputs_.prepare(job);
        StepObjects made = step_objects(options_, pipeline_, job);
        for (Json& other : made.others) make_owned(client_, marks_of(options_), owner(), std::move(other));
        objects.push_back(std::move(made.job));
      } catch (const Error& error) {
        if (error.code != ErrorCode::usage) throw;
        refused_.push_back(
            {.kind = engine::JobReport::Kind::refused, .job = job.name, .cause = in_short(error)});
      }
    if (!objects.empty()) runner_->start(objects);
  }

  void stop(const std::string& job) override {
    if (sweeps_.has(job))
      sweeps_.stop(job);
    else
      runner_->stop(job);
  }

  std::string output_place(const std::string& run, const pipeline::Step& step, int attempt,
                           const pipeline::Output& output) const override {
    return outputs_.place(run, step, attempt, output);
  }

  Json made_by(const pipeline::StepJob& job) override {
    return is_sweep(*job.step) ? SweepSteps::made_by(job.name) : outputs_.made_by(job);
  }

  std::vector<engine::JobReport> wait(std::chrono::milliseconds limit) override {
    if (!refused_.empty()) return std::exchange(refused_, {});
    std::vector<engine::JobReport> reports = sweeps_.reports();
    if (!reports.empty()) return reports;
    return runner_->wait(limit);
  }

 private:
  static std::string in_short(const Error& error) {
    std::string text = error.message + (error.why.empty() ? "" : ": " + error.why);
    for (const Problem& problem : error.problems) text += ": " + problem.text;
    return text;
  }

  /// What owns the Secrets of all steps, and goes with the run.
  const Json& owner() {
    if (owner_.is_null()) owner_ = make_engine_object(client_, marks_of(options_));
    return owner_;
  }

  kube::Client& client_;
  const pipeline::LocalOutputs outputs_;
  const StepRunnerOptions options_;
  const pipeline::Pipeline& pipeline_;
  const std::unique_ptr<JobRunner> runner_;
  SweepSteps sweeps_{options_, pipeline_};
  std::vector<engine::JobReport> refused_;
  Json owner_;
};

}  // namespace

StepObjects step_objects(const StepRunnerOptions& options, const pipeline::Pipeline& pipeline,
                         const pipeline::StepJob& job) {
  SubmitPlan plan = plan_submit(request_for(options, pipeline, job), std::cin);
  StepObjects objects;
  for (const Belonging& belonging : plan.belongings) {
    objects.others.push_back(filled(belonging));
    objects.others.back().erase("immutable");  // a run that goes on may get another token
  }
  for (Json& object : plan.objects) {
    if (is_job(object) && objects.job.is_null())
      objects.job = std::move(object);
    else
      objects.others.push_back(std::move(object));
  }
  if (objects.job.is_null())
    throw usage_error("step " + job.step->name + " makes no job", "its template has none");
  mark_as_step(objects.job, options, *job.step);
  return objects;
}

std::unique_ptr<pipeline::StepRunner> make_step_runner(kube::Client& client, StepRunnerOptions options,
                                                       const pipeline::Pipeline& pipeline,
                                                       const pipeline::LocalStore& store,
                                                       const Interrupt& interrupt) {
  return std::make_unique<JobStepRunner>(client, std::move(options), pipeline, store, interrupt);
}

}  // namespace kml::jobs
