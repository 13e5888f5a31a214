#include "sweep/commands/sweep_planned.h"

#include <algorithm>
#include <filesystem>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/job/submit/create.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/sweep/journal/journal.h"
#include "kml/sweep/stopping/stopping.h"
#include "sweep/commands/sweep_in_cluster.h"
#include "sweep/commands/sweep_plan.h"
#include "sweep/commands/sweep_selection.h"

namespace kml::cli {

namespace {

/// Whether the trials may differ in more than their commands and variables, for example in their GPUs.
bool has_parameters_as_resources(const sweep::SweepSpec& spec) {
  Json rest = spec.trial;
  rest.erase("metadata");
  job::each_pod_template(rest, [](Json& pod, int) {
    pod.erase("metadata");
    for (Json& container : pod["spec"]["containers"])
      for (const char* text : {"command", "args", "env"}) container.erase(text);
  });
  const std::string fields = compact_text(rest);
  const auto is_in = [&](const sweep::Parameter& parameter) {
    return fields.find("{" + parameter.name + "}") != std::string::npos;
  };
  return fields.find("${trialParameters.") != std::string::npos ||
         std::any_of(spec.parameters.begin(), spec.parameters.end(), is_in);
}

/// How many jobs a trial may have, one after the other: one for each rung, and the retries.
std::uint64_t most_jobs_of_a_trial(const sweep::SweepSpec& spec) {
  const size_t rungs = spec.stopping.promote ? sweep::rungs(sweep::stop_options(spec.stopping)).size() : 1;
  return rungs + static_cast<std::uint64_t>(spec.retries);
}

/// The most that all trials together can use.
job::PlannedJob use_of_trials(const sweep::SweepSpec& spec, const job::PlannedJob& trial) {
  const auto size = sweep::Space(spec.parameters, spec.constraints).size();
  const std::uint64_t trials = size ? std::min(*size, spec.budget.trials) : spec.budget.trials;
  const auto at_once =
      static_cast<int>(std::min<std::uint64_t>(trials, static_cast<std::uint64_t>(spec.parallel)));
  job::PlannedJob all{"Sweep", spec.name, at_once * trial.pods, at_once * trial.gpus};
  if (spec.is_indexed && trial.gpus > 0)
    all.no_limit =
        job::NoLimit{"a task of an Indexed Job that is preempted starts again, with its whole time limit",
                     "plan it with the flag --fan-out=jobs"};
  else
    all.no_limit = trial.no_limit;
  all.spans_queues = trial.spans_queues;
  if (!trial.gpu_hours || all.no_limit) return all;
  all.gpu_hours = *trial.gpu_hours * static_cast<double>(trials * most_jobs_of_a_trial(spec));
  if (spec.budget.gpu_hours)  // trials that run when the budget is used up may still finish
    all.gpu_hours = std::min(*all.gpu_hours, *spec.budget.gpu_hours + at_once * *trial.gpu_hours);
  return all;
}

job::PlanFile with_id(job::PlanFile plan) {
  plan.id = job::plan_id(plan);
  return plan;
}

std::filesystem::path plan_note_of(const std::string& sweep) {
  return sweep::sweep_folder(sweep) / "plan";
}

}  // namespace

job::PlanFile plan_of_sweep(Context& context, const sweep::SweepSpec& spec) {
  job::PlanFile plan = empty_plan(context, "sweep");
  refuse_plain_secrets({spec.trial});
  plan.objects = {spec.document};
  Json& trial_of_plan = plan.objects[0]["spec"]["trialTemplate"]["trialSpec"];
  trial_of_plan = job::reviewed(trial_of_plan);
  const std::vector<job::PlannedJob> trial = job::planned_jobs({spec.trial});
  plan.other_holders = job::other_holders({spec.trial});
  if (trial.empty() || !plan.other_holders.empty()) return with_id(std::move(plan));
  if (has_parameters_as_resources(spec))
    plan.other_holders = {"the trials of sweep " + spec.name + ", whose resources are parameters"};
  else
    plan.jobs = {use_of_trials(spec, trial[0])};
  return with_id(std::move(plan));
}

int write_sweep_plan(Context& context, const sweep::SweepSpec& spec,
                     const std::vector<job::Belonging>& secrets, const std::vector<std::string>& notes,
                     const PlanFlags& flags) {
  job::PlanFile plan = plan_of_sweep(context, spec);
  context.tell_target();
  plan.notes = notes;
  if (was_begun_by(plan, spec.name)) {
    plan.outlooks = {"the plan was applied: kml sweep status " + spec.name};
  } else {
    require_new_sweep(context, spec.name);
    refuse_impossible_trials(context, spec, secrets);
    plan.outlooks = {amount_of_trials(spec) + ", " + std::to_string(spec.parallel) + " at once"};
  }
  return write_plan_file(context, std::move(plan), flags);
}

void require_new_sweep(Context& context, const std::string& name) {
  if (has_begun(name) || find_cluster_sweep(context, name))
    throw usage_error(
        "sweep " + name + " exists", "a plan starts a new sweep",
        "make a plan with another name; `kml sweep run " + name + "` continues the existing sweep");
}

void mark_as_planned(const std::string& sweep, const job::PlanFile& plan) {
  write_file_atomically(plan_note_of(sweep), plan.id);
}

bool was_begun_by(const job::PlanFile& plan, const std::string& sweep) {
  return has_begun(sweep) && plan_of_begun_sweep(sweep) == plan.id;
}

std::string plan_of_begun_sweep(const std::string& sweep) {
  return read_file_if_exists(plan_note_of(sweep)).value_or("");
}

}  // namespace kml::cli
