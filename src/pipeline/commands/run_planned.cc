#include "pipeline/commands/run_planned.h"

#include <filesystem>

#include "kml/base/clock.h"
#include "kml/base/files.h"
#include "kml/engine/journal/journal.h"
#include "kml/kube/objects/object.h"
#include "kml/pipeline/engine/runs.h"
#include "pipeline/commands/run_detached.h"
#include "pipeline/commands/run_record.h"
#include "sweep/commands/sweep_session.h"

namespace kml::cli {

namespace {

/// Adds the most that the step can use, or a note that this is unknown.
void count_step(const StepSample& sample, const pipeline::Pipeline& samples, job::PlanFile& plan) {
  const pipeline::Step& step = *sample.step;
  const auto cannot_count = [&](const std::string& why) {
    plan.other_holders.push_back("step " + step.name + ", " + why);
  };
  if (is_sweep(step)) return cannot_count("a sweep");
  if (is_serve(step)) return cannot_count("a served model");
  if (samples.find(step.group))
    return cannot_count("whose number of iterations is known only during the run");
  if (sample.objects.empty()) return cannot_count("whose settings are known only during the run");
  for (job::PlannedJob& job : job::planned_jobs(sample.objects)) {
    job.kind = "Step";
    job.name = step.name;
    if (job.gpu_hours) *job.gpu_hours *= 1 + step.retries;
    plan.jobs.push_back(std::move(job));
  }
  for (const std::string& holder : job::other_holders(sample.objects)) plan.other_holders.push_back(holder);
}

std::vector<Json> jobs_to_review(const std::vector<StepSample>& samples) {
  job::SubmitPlan steps;
  for (const StepSample& sample : samples)
    for (const Json& object : sample.objects) {
      steps.objects.push_back(object);
      steps.objects.back()["metadata"]["name"] = sample.step->name;
    }
  refuse_plain_secrets(steps.objects);
  return job::reviewed_objects(steps);
}

std::filesystem::path plan_note_of_run(const std::string& run) {
  return pipeline::run_folder(run) / "plan";
}

bool was_begun_by_plan(const std::string& run, const std::string& id) {
  return pipeline::has_run(run) && plan_of_begun_run(run) == id;
}

}  // namespace

job::PlanFile plan_of_run(Context& context, const PipelineHere& here, const pipeline::record::Run& record,
                          const std::string& name) {
  job::PlanFile plan = empty_plan(context, "run");
  const std::vector<StepSample> samples = here.step_samples(record.params);
  for (const StepSample& sample : samples) count_step(sample, here.samples(), plan);
  const pipeline::Renewal& renewal = record.renewal;
  Json run = {{"apiVersion", "kml.dev/v1"},
              {"kind", "Run"},
              {"metadata", {{"name", name}, {"namespace", plan.namespace_name}}},
              {"spec",
               {{"file", record.file},
                {"pipeline", record.text},
                {"params", record.params},
                {"store", record.store},
                {"until", record.until},
                {"refresh", std::vector<std::string>(renewal.steps.begin(), renewal.steps.end())},
                {"noCache", renewal.all},
                {"keepGoing", record.keeps_going}}}};
  plan.objects.push_back(std::move(run));
  for (Json& object : jobs_to_review(samples)) plan.objects.push_back(std::move(object));
  constexpr size_t kSuffix = 5;
  if (name.empty())
    plan.objects[0]["metadata"]["name"] = record.pipeline + "-" + job::plan_id(plan).substr(0, kSuffix);
  plan.id = job::plan_id(plan);
  return plan;
}

int write_run_plan(Context& context, job::PlanFile plan, const PlanFlags& flags) {
  context.tell_target();
  const std::string name = api::name_of(plan.objects.at(0));
  if (was_begun_by_plan(name, plan.id))
    plan.outlooks = {"the plan was applied: kml run status " + name};
  else
    plan.outlooks = {"run " + checked_run_name(context, name) + " starts"};
  return write_plan_file(context, std::move(plan), flags);
}

std::string plan_of_begun_run(const std::string& run) {
  return read_file_if_exists(plan_note_of_run(run)).value_or("");
}

int start_planned_run(Context& context, const job::PlanFile& planned, const job::PlanFile& now,
                      pipeline::record::Run record) {
  require_unchanged(planned, now);
  record.name = api::name_of(now.objects.at(0));
  const std::string& name = record.name;
  const bool is_begun = was_begun_by_plan(name, planned.id);
  if (is_begun && (pipeline::is_ended(name) || engine::writer_of(pipeline::run_folder(name)))) {
    context.note("the plan was applied earlier: kml run status " + name);
    return 0;
  }
  if (!is_begun) {
    checked_run_name(context, name);
    pipeline::Journal journal = pipeline::open_run(name, owner());
    write_file_atomically(plan_note_of_run(name), planned.id);
    journal.add({system_clock().now(), record});
    journal.commit();
  }
  context.tell_target();
  go_on_in_background(context, name);
  return 0;
}

}  // namespace kml::cli
