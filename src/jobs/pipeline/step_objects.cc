#include "kml/jobs/pipeline/step_runner.h"

#include <iostream>

#include "jobs/pipeline/filled_here.h"
#include "kml/api/labels.h"
#include "kml/api/object.h"
#include "kml/jobs/submit/submit.h"
#include "kml/jobs/views/kinds.h"

namespace kml::jobs {

namespace {

SubmitRequest request_for(const StepRunnerOptions& options, const pipeline::Pipeline& pipeline,
                          const pipeline::StepJob& job) {
  pipeline::FilledStep filled = filled_here(options, pipeline, job);
  SubmitRequest request;
  request.settings = options.defaults;
  if (job.step->program)  // its code is in its image
    std::erase_if(request.settings, [](const spec::Setting& setting) { return setting.name == "code"; });
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

}  // namespace kml::jobs
