#include "tracking/runs/run_facts.h"

#include "kml/job/submit/code.h"
#include "kml/job/views/data_mark.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/pod.h"
#include "tracking/runs/gpu_hours.h"
#include "tracking/runs/package_versions.h"

namespace kml::tracking {

void take_notes(TrackedRun& tracked, const job::RunNotes& notes) {
  tracked.tags = notes.logged_tags;
  for (const auto& [tag, value] : notes.tags) tracked.tags[tag] = value;
  tracked.note = notes.note;
  for (const auto& [name, metric] : notes.metrics.value_or(job::RunMetrics())) tracked.metrics[name] = metric;
}

void add_fact(TrackedRun& tracked, const std::string& name, const std::string& value) {
  if (!value.empty()) tracked.facts[name] = value;
}

void add_git(TrackedRun& tracked, const Json& git) {
  const std::string diff = string_at(git, {"diff"}), digest = string_at(git, {"diffDigest"});
  add_fact(tracked, "commit", string_at(git, {"commit"}));
  add_fact(tracked, "changes", diff);
  if (diff.empty() && bool_at(git, {"dirty"}))
    add_fact(tracked, "dirty", digest.empty() ? "yes" : "yes, changes " + digest);
}

void add_python(TrackedRun& tracked, const Json& packages, const packages::NamedEnvironment& environment) {
  const std::string& python = environment.python;
  add_fact(tracked, "packages", string_at(packages, {"lock"}));
  add_fact(tracked, "python", python.empty() ? string_at(packages, {"python"}) : python);
  add_fact(tracked, "uv", string_at(packages, {"uv"}));
  add_fact(tracked, "environment", environment.id);
  add_fact(tracked, "processor", environment.processor);
  add_fact(tracked, "libc", environment.libc);
}

void add_machine(TrackedRun& tracked, const Json& job) {
  Json template_of_first;
  job::each_pod_template(job, [&](const Json& pod, int) {
    if (template_of_first.is_null()) template_of_first = pod;
  });
  const auto noted = [&](std::string_view mark) { return api::annotation_of(template_of_first, mark); };
  add_fact(tracked, "driver", noted(job::kDriverVersion));
  if (tracked.facts.contains("packages")) return;
  add_fact(tracked, "interpreter", noted(job::kInterpreter));
  add_fact(tracked, "python", noted(job::kPythonVersion));
}

void add_code_digest(TrackedRun& tracked, const std::vector<Json>& objects) {
  constexpr size_t kShown = 12;
  const std::vector<std::string> parts = job::secrets_of(objects, job::kCodeSecretPrefix);
  if (!parts.empty())
    add_fact(tracked, "code digest", parts[0].substr(job::kCodeSecretPrefix.size(), kShown));
}

void add_facts_to_compare(std::vector<TrackedRun>& runs) {
  add_gpu_hours(runs);
  add_package_versions(runs);
}

Json first_container_of(const Json& job) {
  Json container = Json::object();
  job::each_pod_template(job, [&](const Json& pod, int) {
    const Json& containers = api::containers_of(pod);
    if (container.empty() && !containers.empty()) container = containers[0];
  });
  return container;
}

}  // namespace kml::tracking
