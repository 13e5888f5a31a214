#include "kml/jobs/attempts.h"

#include <algorithm>

#include "jobs/logs/pod_place.h"
#include "kml/api/labels.h"
#include "kml/jobs/find.h"
#include "kml/jobs/kinds.h"
#include "kml/jobs/pod_view.h"

namespace kml::jobs {

namespace {

constexpr std::string_view kAttemptEnded = "AttemptEnded";

std::optional<Attempt> from_event(const Json& event) {
  std::string text = string_at(event, {"metadata", "annotations", api::kAttempt});
  Json json = Json::parse(text, nullptr, false);
  if (string_at(event, {"reason"}) != kAttemptEnded || !json.is_object()) return {};
  Attempt attempt;
  attempt.pod = string_at(json, {"pod"});
  attempt.uid = string_at(json, {"uid"});
  for (const Json& container : array_at(json, {"containers"}))
    if (container.is_string()) attempt.containers.push_back(container);
  if (const Json* index = find(json, {"index"}))
    attempt.index = index->is_string() ? index->get<std::string>() : index->is_number() ? index->dump() : "";
  attempt.start = time_at(json, {"start"});
  attempt.end = time_at(json, {"end"});
  if (const Json* code = find(json, {"exitCode"}); code && code->is_number_integer())
    attempt.exit_code = *code;
  attempt.result = string_at(json, {"reason"});
  return attempt;
}

Attempt from_pod(const Json& pod, const std::string& job_name) {
  PodView view = view_of_pod(pod);
  Attempt attempt;
  attempt.pod = view.name;
  attempt.index = short_pod_name(pod, job_name);
  if (view.name.ends_with("-" + attempt.index) && !view.name.starts_with(job_name + "-master-")) {
    // A random suffix says nothing as an index.
    if (attempt.index.find_first_not_of("0123456789") != std::string::npos) attempt.index.clear();
  }
  attempt.start = view.started;
  attempt.end = view.finished;
  attempt.exit_code = view.exit_code;
  attempt.result = view.cause.empty() ? view.phase : view.cause;
  return attempt;
}

void sort_by_start(std::vector<Attempt>& attempts) {
  std::stable_sort(attempts.begin(), attempts.end(), [](const Attempt& a, const Attempt& b) {
    return a.start.value_or(Time::max()) < b.start.value_or(Time::max());
  });
}

}  // namespace

std::vector<Attempt> recorded_attempts(kube::Client& client, const Json& job) {
  std::vector<Attempt> attempts;
  const std::string field =
      "involvedObject.name=" + string_at(job, {"metadata", "name"}) + ",reason=" + std::string(kAttemptEnded);
  const std::string namespace_name = string_at(job, {"metadata", "namespace"});
  for (const Json& event : client.list(*api::find_kind("v1", "Event"), namespace_name, {"", field}).items)
    if (string_at(event, {"involvedObject", "uid"}) == string_at(job, {"metadata", "uid"}))
      if (auto attempt = from_event(event)) attempts.push_back(std::move(*attempt));
  sort_by_start(attempts);
  return attempts;
}

std::vector<Attempt> attempts_of(kube::Client& client, const Json& job) {
  const std::string namespace_name = string_at(job, {"metadata", "namespace"});
  const std::string name = string_at(job, {"metadata", "name"});
  std::vector<Attempt> attempts = recorded_attempts(client, job);
  PodsByJob pods = list_pods(client, namespace_name, pod_selector(job));
  for (const Json* pod : pods.of(job)) {
    Attempt attempt = from_pod(*pod, name);
    const bool recorded = std::any_of(attempts.begin(), attempts.end(), [&](const Attempt& other) {
      return other.pod == attempt.pod && other.start == attempt.start;
    });
    if (!recorded) attempts.push_back(std::move(attempt));
  }
  sort_by_start(attempts);
  return attempts;
}

}  // namespace kml::jobs
