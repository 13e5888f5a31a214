#include "job/logs/sources.h"

#include <algorithm>
#include <set>

#include "job/logs/container_state.h"
#include "kml/base/error.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/job/attempts/attempts.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/ownership.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

Sources::Sources(const LogSelection& selection) : selection_(selection) {
  if (!selection.pod_pattern.empty()) pattern_.emplace(selection.pod_pattern);
}

bool Sources::wants(const LogSource& source) const {
  if (!selection_.container.empty() && source.container != selection_.container) return false;
  if (pattern_ && !pattern_->matches(source.pod)) return false;
  if (selection_.rank && source.rank != selection_.rank) return false;
  if (const auto tasks = selection_.tasks.find(source.namespace_name + "/" + source.job);
      tasks != selection_.tasks.end() && !(source.rank && tasks->second.contains(*source.rank)))
    return false;
  return !selection_.attempt || source.attempt == *selection_.attempt;
}

std::vector<LogSource> Sources::of(const Json& pod, const Json* job) {
  LogSource source;
  source.namespace_name = api::namespace_of(pod);
  if (job) {
    source.job = api::name_of(*job);
    source.job_uid = api::uid_of(*job);
  }
  source.pod = api::name_of(pod);
  source.pod_uid = api::uid_of(pod);
  source.node = api::node_of(pod);
  source.label = short_pod_name(pod, source.job);
  source.rank = rank_of(pod, job);
  if (job && source.rank)
    source.attempt = attempts_.number_of(
        source.namespace_name + "/" + job_key(*job) + "/" + std::to_string(*source.rank), source.pod_uid);
  most_attempts_ = std::max(most_attempts_, source.attempt);
  std::vector<LogSource> sources;
  const size_t main_containers = api::containers_of(pod).size();
  for (const std::string& name : containers_of(pod)) {
    containers_.insert(name);
    source.container = name;
    if (!wants(source)) continue;
    sources.push_back(source);
    sources.back().is_main = is_main_container(pod, name);
    if (!sources.back().is_main || main_containers > 1) sources.back().label += "/" + name;
  }
  return sources;
}

void Sources::check_attempt() const {
  if (selection_.attempt && most_attempts_ > 0 && *selection_.attempt > most_attempts_)
    throw usage_error("attempt " + std::to_string(*selection_.attempt) + " does not exist",
                      "the last attempt has number " + std::to_string(most_attempts_));
}

void Sources::check_container() const {
  const std::string& wanted = selection_.container;
  if (wanted.empty() || containers_.empty() || containers_.contains(wanted)) return;
  const std::vector<std::string> names(containers_.begin(), containers_.end());
  throw usage_error("no pod has a container \"" + wanted + "\"", "",
                    suggestion(wanted, names, "its containers: " + join(names, ", ")));
}

void sort_by_age(std::vector<Json>& pods) {
  std::stable_sort(pods.begin(), pods.end(), [](const Json& a, const Json& b) {
    return api::creation_text(a) < api::creation_text(b);
  });
}

namespace {

/// A pod object from a recorded attempt, with the data that Sources::of() reads.
Json remains(const Attempt& attempt, const Json& job) {
  Json pod = {{"metadata",
               {{"name", attempt.pod},
                {"namespace", api::namespace_of(job)},
                {"uid", attempt.uid},
                {"labels", Json::object()}}},
              {"spec", {{"containers", Json::array()}}}};
  if (is_plain_job(job) && !attempt.index.empty()) api::set_label(pod, api::kCompletionIndex, attempt.index);
  if (const std::string tasks = api::annotation_of(api::pod_template_of(job), api::kTasks); !tasks.empty())
    api::set_annotation(pod, api::kTasks, tasks);
  for (const std::string& container : attempt.containers)
    pod["spec"]["containers"].push_back({{"name", container}});
  return pod;
}

}  // namespace

std::vector<LogSource> gone_sources(kube::Client& client, const Json& job, const std::vector<Json>& pods,
                                    Sources& sources) {
  std::set<std::string> present;
  for (const Json& pod : pods) present.insert(api::uid_of(pod));
  std::vector<LogSource> gone;
  for (const Attempt& attempt : recorded_attempts(client, job)) {
    if (present.contains(attempt.uid)) continue;
    for (LogSource& source : sources.of(remains(attempt, job), &job)) gone.push_back(std::move(source));
  }
  return gone;
}

}  // namespace kml::job
