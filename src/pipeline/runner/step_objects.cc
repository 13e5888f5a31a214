#include "pipeline/runner/step_runner.h"

#include <iostream>

#include "kml/job/submit/agents_references.h"
#include "kml/job/submit/submit.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "pipeline/runner/data_pod.h"
#include "pipeline/runner/filled_here.h"
#include "pipeline/runner/step_program.h"

namespace kml::pipeline {

namespace {

job::SubmitRequest request_for(const StepRunnerOptions& options, const FilledStep& filled,
                               const StepJob& job) {
  job::SubmitRequest request;
  request.settings = options.defaults;
  if (job.step->program)  // a compiled component has its code in the image, or installs its own packages
    std::erase_if(request.settings, [](const spec::Setting& setting) {
      return setting.name == "code" || setting.name == "uv" || setting.name == "requirements" ||
             setting.name == "conda";
    });
  request.settings.insert(request.settings.end(), filled.settings.begin(), filled.settings.end());
  request.settings.push_back({"name", job.name, {}});
  request.settings.push_back({"env", "KML_RUN=" + options.run, {}});
  request.settings.push_back({"env", "KML_STEP=" + job.step->name, {}});
  request.command = filled.command;
  request.template_folders = options.template_folders;
  request.namespace_name = options.namespace_name;
  request.is_local = options.is_local;
  request.submit_id = options.id;
  request.secret_object = "kml-run-" + job.name;
  request.code_suffix = "-" + options.id;
  return request;
}

/// Adds the run's labels to the job and its pods. Removes the retries of a plain Job, because the engine
/// retries steps.
void mark_as_step(Json& object, const StepRunnerOptions& options, const Step& step) {
  const Json labels = {{api::kRun, options.run}, {api::kStep, step.name}, {api::kSubmitId, options.id}};
  object["metadata"]["labels"].update(labels);
  if (job::is_plain_job(object)) object["spec"]["backoffLimit"] = 0;
  job::each_pod_template(object, [&](Json& pod, int) { pod["metadata"]["labels"].update(labels); });
}

void append_all(const Json& list, Json& to) {
  for (const Json& each : list) to.push_back(each);
}

/// Combines each of the pod's own terms with each of the other terms, because terms are alternatives.
Json both(const Json& own, const Json& others) {
  if (own.empty()) return others;
  Json terms = Json::array();
  for (const Json& one : own)
    for (const Json& other : others) {
      terms.push_back(one);
      for (const auto& [key, expressions] : other.items()) append_all(expressions, terms.back()[key]);
    }
  return terms;
}

/// Merges the fields in Step::pod into the pod.
void lay_over(const Json& what, Json& pod) {
  if (what.empty()) return;
  Json& spec = pod["spec"];
  Json& container = spec["containers"][0];
  for (const char* part : {"env", "volumeMounts"})
    if (what.contains(part)) append_all(what[part], container[part]);
  for (const char* part : {"volumes", "tolerations"})
    if (what.contains(part)) append_all(what[part], spec[part]);
  if (what.contains("imagePullPolicy")) container["imagePullPolicy"] = what["imagePullPolicy"];
  if (what.contains("annotations")) pod["metadata"]["annotations"].update(what["annotations"]);
  constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  for (const auto& [key, value] : object_at(what, {"affinity", "nodeAffinity"}).items()) {
    Json& there = spec["affinity"]["nodeAffinity"][key];
    if (key == kRequired)
      there["nodeSelectorTerms"] =
          both(array_at(there, {"nodeSelectorTerms"}), array_at(value, {"nodeSelectorTerms"}));
    else
      append_all(value, there);
  }
}

/// Lets the step's pods fetch its data, and adds the ConfigMaps that they need.
void add_data_of_step(const StepRunnerOptions& options, const job::SubmitPlan& plan, StepObjects& objects) {
  if (plan.data.sources.empty() || !options.pinned_data) return;
  std::vector<PodData> all;
  for (const std::string& text : plan.data.sources) all.push_back(parse_pod_data(options.pinned_data(text)));
  const PodPrograms& programs = choose_programs(pod_programs(), options.nodes(), objects.job);
  for (Json& object :
       add_data(all, claim_of_data_store(plan.data.store), programs, objects.job, options.id)) {
    object["metadata"]["namespace"] = options.namespace_name;
    object["metadata"]["labels"] = {
        {api::kManagedBy, "kml"}, {api::kRun, options.run}, {api::kSubmitId, options.id}};
    object.erase("immutable");
    objects.others.push_back(std::move(object));
  }
}

}  // namespace

StepObjects step_objects(const StepRunnerOptions& options, const Pipeline& pipeline, const StepJob& job) {
  const FilledStep filled_step = filled_here(options, pipeline, job);
  const job::SubmitRequest request = request_for(options, filled_step, job);
  job::SubmitPlan plan = job::plan_submit(request, std::cin);
  job::References allowed = job::made_by_kml(plan);
  allowed.merge(job::named_by_user(request.settings));
  StepObjects objects;
  objects.packages = plan.packages;
  for (const job::Belonging& belonging : plan.belongings) {
    objects.others.push_back(job::filled(belonging));
    objects.others.back().erase("immutable");  // when a run is resumed, it may get a different token
  }
  for (Json& object : plan.objects) {
    if (job::is_job(object) && objects.job.is_null())
      objects.job = std::move(object);
    else
      objects.others.push_back(std::move(object));
  }
  if (objects.job.is_null())
    throw usage_error("step " + job.step->name + " creates no job", "its template contains no job");
  mark_as_step(objects.job, options, *job.step);
  job::each_pod_template(objects.job, [&](Json& pod, int) { lay_over(filled_step.pod, pod); });
  job::require_agents_references({objects.job}, allowed);
  job::require_agents_references(objects.others, allowed);
  add_data_of_step(options, plan, objects);
  return objects;
}

}  // namespace kml::pipeline
