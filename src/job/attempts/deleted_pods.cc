#include "job/attempts/deleted_pods.h"

#include <string_view>

#include "kml/base/error.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

constexpr size_t kMostPods = 20;

std::vector<Json> events_if_readable(kube::Client& client, const Json& job, const std::string& fields) try {
  return client.list(*api::find_kind("v1", "Event"), api::namespace_of(job), {"", fields}).items;
} catch (const Error& error) {
  if (error.http_status != 403) throw;
  return {};
}

Attempt attempt_in(const std::string& pod, const std::vector<Json>& events) {
  Attempt attempt;
  attempt.pod = pod;
  attempt.result = "its pod was deleted";
  for (const Json& event : events) {
    attempt.uid = api::involved_uid(event);
    if (api::reason_of(event) == "Started") {
      attempt.start = api::time_of_event(event);
      attempt.node = string_at(event, {"source", "host"}, string_at(event, {"reportingInstance"}));
    }
    if (api::reason_of(event) == "Killing") attempt.end = api::time_of_event(event);
  }
  return attempt;
}

}  // namespace

std::set<std::string> made_pods(kube::Client& client, const Json& job) {
  constexpr std::string_view kSaid = "Created pod: ";
  std::set<std::string> names;
  for (const Json& event :
       events_if_readable(client, job, "reason=SuccessfulCreate,involvedObject.uid=" + api::uid_of(job)))
    if (const std::string text = api::message_of(event); text.starts_with(kSaid))
      names.insert(text.substr(kSaid.size()));
  return names;
}

std::vector<Attempt> attempts_of_deleted(kube::Client& client, const Json& job,
                                         const std::set<std::string>& pods) {
  std::vector<Attempt> attempts;
  size_t read = 0;
  for (const std::string& pod : pods) {
    if (++read > kMostPods) break;
    const std::string fields = "involvedObject.kind=Pod,involvedObject.name=" + pod;
    if (Attempt attempt = attempt_in(pod, events_if_readable(client, job, fields)); attempt.start)
      attempts.push_back(std::move(attempt));
  }
  return attempts;
}

}  // namespace kml::job
