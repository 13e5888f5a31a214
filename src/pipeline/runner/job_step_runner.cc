#include "pipeline/runner/job_step_runner.h"

#include <algorithm>
#include <utility>

#include "kml/job/submit/create.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::pipeline {

namespace {

engine::EngineMarks marks_of(const StepRunnerOptions& options) {
  return {"run", std::string(api::kRun), options.run, options.id, options.namespace_name};
}

engine::WatchOptions watch_options(const StepRunnerOptions& options, const Pipeline& pipeline,
                                   const std::set<std::string>& jobs_with_metrics) {
  std::vector<std::string> metrics;
  for (const Step& step : pipeline.steps)
    for (const Output& output : step.outputs)
      if (output.kind == OutputKind::metric) metrics.push_back(output.metric);
  return {.label_selector = std::string(api::kRun) + "=" + options.run + "," + std::string(api::kSubmitId) +
                            "=" + options.id,
          .submit_id = options.id,
          .namespace_name = options.namespace_name,
          .taken = {"this run", "a step's job needs that name", "start another run"},
          .metrics = metrics,
          .has_metrics = [&](const std::string& job) { return jobs_with_metrics.contains(job); },
          .on_retry = options.on_retry};
}

std::string in_short(const Error& error) {
  std::string text = message_and_why(error);
  for (const Problem& problem : error.problems) text += ": " + problem.text;
  return text;
}

bool has_metrics(const Step& step) {
  return std::any_of(step.outputs.begin(), step.outputs.end(),
                     [](const Output& output) { return output.kind == OutputKind::metric; });
}

bool is_of_object(const StepJob& job) {
  return job.step->program && job.step->program->is_of_object();
}

}  // namespace

JobStepRunner::JobStepRunner(kube::Client& client, StepRunnerOptions options, const Pipeline& pipeline,
                             const LocalStore& store, const job::Interrupt& interrupt)
    : client_(client),
      options_(std::move(options)),
      pipeline_(pipeline),
      runner_(engine::make_job_runner(client, watch_options(options_, pipeline, with_metrics_), interrupt)),
      sweeps_(options_, pipeline_),
      serves_(options_, pipeline_, store) {}

void JobStepRunner::start(const std::vector<StepJob>& jobs) {
  constexpr size_t kAtOnce = 100;  // limits the memory, because there may be thousands of manifests
  std::vector<Json> objects;
  for (const StepJob& job : jobs) {
    try {
      if (auto lost = bring_inputs(job)) {
        ends_.push_back(std::move(*lost));
        continue;
      }
      if (is_sweep(*job.step)) {
        sweeps_.start(job);
        continue;
      }
      if (is_serve(*job.step)) {
        serves_.start(job);
        continue;
      }
      if (is_of_object(job) || needs_no_job(job)) {
        ends_.push_back({.kind = engine::JobReport::Kind::ended, .job = job.name, .succeeded = true});
        continue;
      }
      StepObjects made = objects_for(job);
      if (has_metrics(*job.step)) with_metrics_.insert(job.name);
      locks_[job.name] = string_at(made.packages, {"lock"});
      for (Json& other : made.others) make(std::move(other));
      objects.push_back(std::move(made.job));
    } catch (const Error& error) {
      if (error.code != ErrorCode::usage) throw;
      ends_.push_back({.kind = engine::JobReport::Kind::refused, .job = job.name, .cause = in_short(error)});
    }
    if (objects.size() == kAtOnce) runner_->start(std::exchange(objects, {}));
  }
  if (!objects.empty()) runner_->start(objects);
}

std::string JobStepRunner::lock_of(const StepJob& job) const {
  const auto known = locks_.find(job.name);
  return known == locks_.end() ? "" : known->second;
}

void JobStepRunner::make(Json object) {
  if (owner_.is_null()) owner_ = engine::make_engine_object(client_, marks_of(options_));
  engine::make_owned(client_, marks_of(options_), owner_, std::move(object));
}

/// A claim outlives its run, as its data does. The claim of an earlier run is reused, and may be removed. A
/// claim that kml did not create is left unchanged.
Json JobStepRunner::made_object(const StepJob& job) {
  Json object = job.step->program->object(job.scope);
  const api::ResourceKind& kind = client_.kind_of(object);
  const std::string name = api::name_of(object);
  const std::optional<Json> there = client_.get_if_exists(kind, options_.namespace_name, name);
  if (there && api::label_of(*there, api::kRun).empty())
    throw Error(ErrorCode::job_failed, std::string(kind.kind) + " " + name + " was not created by a kml run",
                "it already existed, so kml does not change it",
                "give the claim another name, or mount the existing claim by its name");
  if (job.step->program->removes_object()) {
    if (there) client_.remove(kind, options_.namespace_name, name, {.uid = api::uid_of(*there)});
    return Json::object();
  }
  for (const auto& [key, value] :
       {std::pair(api::kRun, options_.run), {api::kSubmitId, options_.id}, {api::kManagedBy, "kml"}})
    object["metadata"]["labels"][std::string(key)] = value;
  if (!there) job::create_once(client_, options_.namespace_name, object);
  return {{"name", {{"value", name}}}};
}

void JobStepRunner::make_once(Json object) {
  if (made_.insert(api::kind_name(object) + "/" + api::name_of(object)).second) make(std::move(object));
}

std::vector<engine::JobReport> JobStepRunner::wait(std::chrono::milliseconds limit) {
  if (!ends_.empty()) return std::exchange(ends_, {});
  std::vector<engine::JobReport> reports = sweeps_.reports();
  for (engine::JobReport& report : serves_.reports()) reports.push_back(std::move(report));
  return reports.empty() ? runner_->wait(limit) : reports;
}

void JobStepRunner::stop(const std::string& job) {
  if (sweeps_.has(job))
    sweeps_.stop(job);
  else if (serves_.has(job))
    serves_.stop(job);
  else
    runner_->stop(job);
}

Json JobStepRunner::made_by(const StepJob& job) {
  if (is_of_object(job)) return made_object(job);
  if (is_serve(*job.step)) return serves_.made_by(job.name);
  return is_sweep(*job.step) ? SweepSteps::made_by(job.name) : outputs_of(job);
}

}  // namespace kml::pipeline
