#include "serve/commands/serve_planned.h"

#include <algorithm>

#include "job/commands/check_wheels.h"
#include "job/commands/left_out_secrets.h"
#include "job/commands/test_only.h"
#include "kml/base/files.h"
#include "kml/job/records/records.h"
#include "kml/ui/objects.h"
#include "serve/commands/serve_inputs.h"
#include "serve/model/kserve.h"
#include "serve/model/revisions.h"
#include "serve/model/serve.h"

namespace kml::cli {

SubmitFlags flags_of_pod(Context& context, const ServeOptions& options) {
  SubmitFlags flags = options.flags;
  for (const auto& [name, value] :
       {std::pair("name", options.words[0].c_str()), std::pair("template", "job"), std::pair("nodes", "1")})
    flags.settings.push_back({name, value, {spec::Source::flag, "kml serve"}});
  give_inputs(context, options.inputs, flags);
  flags.claims_gpus = false;
  flags.usage = "kml serve NAME [flags] -- COMMAND ARGUMENT...";
  return flags;
}

Json wanted_deployment(const Json& job, const serve::ServeSettings& settings,
                       const std::vector<std::string>& inputs) {
  Json wanted = serve::serve_deployment(job, settings);
  Json& annotations = wanted["metadata"]["annotations"];
  if (const std::string run = environment(serve::kServedByVariable); !run.empty())
    annotations[std::string(serve::kServedBy)] = run;
  if (!inputs.empty()) annotations[std::string(serve::kServedInputs)] = inputs_in_words(inputs);
  return wanted;
}

namespace {

/// The objects that kml serve would send, beginning with the belongings of the pods.
std::vector<Json> manifests_of(Context& context, const job::SubmitPlan& plan,
                               const serve::ServeSettings& settings, const ServeOptions& options) {
  std::vector<Json> shown;
  for (const job::Belonging& belonging : plan.belongings)
    shown.push_back(job::without_secrets(belonging.object));
  const Json deployment = wanted_deployment(plan.objects.at(0), settings, options.inputs);
  shown.push_back(settings.by_kserve ? serve::inference_service(deployment) : deployment);
  const std::vector<Json> activator =
      activator_manifests(context, deployment, settings.port, options.activator);
  if (!settings.by_kserve)
    shown.push_back(serve::serve_service(deployment, settings.port, !activator.empty()));
  shown.insert(shown.end(), activator.begin(), activator.end());
  return shown;
}

/// How many replicas there will be, including those that the next request starts again.
long long replicas_of_plan(Context& context, const serve::ServeSettings& settings) {
  if (settings.replicas) return *settings.replicas;
  if (settings.by_kserve)
    throw usage_error("a plan for KServe needs --replicas",
                      "kml must know how many GPUs the program would use");
  const auto before = context.client().get_if_exists(*api::find_kind("apps/v1", "Deployment"),
                                                     context.target().namespace_name, settings.name);
  return serve::planned_replicas(settings, before.value_or(Json()));
}

}  // namespace

int print_serve_manifests(Context& context, const ServeOptions& options, const serve::ServeSettings& settings,
                          const job::SubmitPlan& job) {
  const std::vector<Json> manifests = manifests_of(context, job, settings, options);
  ui::print_objects(context.streams(), manifests, "yaml", true);
  note_left_out_secrets(context, job);
  return 0;
}

job::PlanFile plan_of_serve(Context& context, const ServeOptions& options,
                            const serve::ServeSettings& settings) {
  job::PlanFile plan = empty_plan(context, "serve");
  job::SubmitRequest request = submit_request(context, flags_of_pod(context, options));
  request.submit_id = job::kPlannedSubmitId;
  job::SubmitPlan job = cli::plan(context, request, "");
  refuse_plain_secrets(job.objects);
  const job::PlannedJob replica = job::planned_jobs(job.objects).at(0);
  const long long replicas = replicas_of_plan(context, settings), gpus = replicas * replica.gpus;
  plan.jobs = {{"Deployment", settings.name, static_cast<int>(replicas), gpus,
                gpus == 0 ? std::optional(0.0) : std::nullopt}};
  const auto first = static_cast<std::ptrdiff_t>(job.belongings.size());
  job.objects = manifests_of(context, job, settings, options);
  job.belongings.clear();
  std::rotate(job.objects.begin(), job.objects.begin() + first, job.objects.begin() + first + 1);
  plan.objects = job::reviewed_objects(job);
  plan.id = job::plan_id(plan);
  return plan;
}

int write_serve_plan(Context& context, const ServeOptions& options, const serve::ServeSettings& settings,
                     const job::SubmitPlan& job) {
  job::PlanFile plan = plan_of_serve(context, options, settings);
  context.tell_target();
  Json deployment = wanted_deployment(job.objects.at(0), settings, options.inputs);
  deployment["spec"]["replicas"] = plan.jobs.at(0).pods;
  refuse_hopeless(context, {deployment}, job.belongings, "");
  check_wheels(context, job.objects, job.packages);
  plan.notes = job.notes;
  return write_plan_file(context, std::move(plan), options.plan);
}

}  // namespace kml::cli
