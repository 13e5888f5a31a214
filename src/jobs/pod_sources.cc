#include "jobs/pod_sources.h"

#include "kml/api/labels.h"
#include "kml/core/error.h"
#include "kml/core/text.h"
#include "kml/jobs/tail.h"

namespace kml::jobs {

namespace {

const Json* status_of(const Json& pod, const std::string& container) {
  for (std::string_view list : {"containerStatuses", "initContainerStatuses"})
    for (const Json& status : array_at(pod, {"status", list}))
      if (string_at(status, {"name"}) == container) return &status;
  return nullptr;
}

}  // namespace

std::string short_pod_name(const Json& pod, std::string_view job_name) {
  const Json& labels = object_at(pod, {"metadata", "labels"});
  std::string index = string_at(labels, {api::kCompletionIndex});
  if (std::string type = string_at(labels, {api::kReplicatedJobName}); !type.empty())
    return type + "-" + string_at(labels, {api::kJobIndex}) + (index.empty() ? "" : "-" + index);
  if (std::string type = string_at(labels, {api::kReplicaType}); !type.empty())
    return type + "-" + string_at(labels, {api::kReplicaIndex});
  if (!index.empty()) return index;
  std::string name = string_at(pod, {"metadata", "name"});
  if (name.starts_with(std::string(job_name) + "-")) return name.substr(job_name.size() + 1);
  return name;
}

std::vector<PodSource> pod_sources(const Json& pod, const Json& job, const std::string& only) {
  std::vector<PodSource> sources;
  std::vector<std::string> names;
  const std::string pod_name = string_at(pod, {"metadata", "name"});
  const std::string label = short_pod_name(pod, string_at(job, {"metadata", "name"}));
  auto add = [&](const Json& container, bool init) {
    std::string name = string_at(container, {"name"});
    names.push_back(name);
    if (only.empty() ? init : name != only) return;
    PodSource source{pod_name, name, label};
    if (const Json* status = status_of(pod, name)) {
      source.has_ended = find(*status, {"state", "terminated"}) != nullptr;
      source.has_started = source.has_ended || find(*status, {"state", "running"}) != nullptr ||
                           int_at(*status, {"restartCount"}) > 0;
    }
    sources.push_back(std::move(source));
  };
  for (const Json& container : array_at(pod, {"spec", "initContainers"})) add(container, true);
  for (const Json& container : array_at(pod, {"spec", "containers"})) add(container, false);
  if (sources.empty() && !only.empty())
    throw usage_error("no container \"" + only + "\" in pod " + pod_name, did_you_mean(only, names),
                      "it has " + join(names, ", "));
  if (sources.size() > 1)
    for (PodSource& source : sources) source.label += "/" + source.container;
  return sources;
}

}  // namespace kml::jobs
