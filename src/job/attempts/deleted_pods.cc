#include "job/attempts/deleted_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "job/attempts/merge.h"
#include "kml/base/error.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/ownership.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

constexpr size_t kMostPods = 20;

std::vector<Json> readable_items(kube::Client& client, const api::ResourceKind& kind, const Json& job,
                                 const kube::ListOptions& which) try {
  return client.list(kind, api::namespace_of(job), which).items;
} catch (const Error& error) {
  if (error.http_status != 403) throw;
  return {};
}

std::vector<Json> events_if_readable(kube::Client& client, const Json& job, const std::string& fields) {
  return readable_items(client, *api::find_kind("v1", "Event"), job, {"", fields});
}

/// The names of the Jobs that the job's controller has made. They keep their names when they are made again.
std::set<std::string> inner_jobs(kube::Client& client, const Json& job) {
  const std::string kind = api::kind_name(job), name = api::name_of(job);
  std::string labels, fields;
  if (kind == "JobSet" || kind == "TrainJob") labels = std::string(api::kJobSetName) + "=" + name;
  if (kind == "MPIJob") fields = "metadata.name=" + name + "-launcher";
  std::set<std::string> names;
  if (labels.empty() && fields.empty()) return names;
  Ownership ownership;
  const Owners owners = owners_of({job});
  for (const Json& inner : readable_items(client, *api::find_kind("batch/v1", "Job"), job, {labels, fields}))
    if (ownership.has(client, owners, inner)) names.insert(api::name_of(inner));
  return names;
}

/// The names of an MPIJob's workers, which its controller creates without events (mpi-operator v0.6.0,
/// pkg/controller/mpi_job_controller.go: workerName). Only as many as attempts_of_deleted() reads, because
/// the number in the job may be any.
std::vector<std::string> workers_of_mpi(const Json& job) {
  std::vector<std::string> names;
  if (api::kind_name(job) != "MPIJob") return names;
  const long long count =
      std::min<long long>(int_at(job, {"spec", "mpiReplicaSpecs", "Worker", "replicas"}), kMostPods);
  for (long long i = 0; i < count; ++i) names.push_back(fmt::format("{}-worker-{}", api::name_of(job), i));
  return names;
}

/// The pod's index in its job, judging by its name: "node-0-1" for "bert-node-0-1-x7f2q".
std::string index_by_name(const std::string& pod, const Json& job) {
  const std::string start = api::name_of(job) + "-", base = base_of_drawn_name(pod);
  return base.starts_with(start) ? base.substr(start.size()) : "";
}

/// `events` are about one pod.
Attempt attempt_in(const std::string& pod, const std::vector<const Json*>& events) {
  Attempt attempt;
  attempt.pod = pod;
  attempt.result = "its pod was deleted";
  for (const Json* event : events) {
    attempt.uid = api::involved_uid(*event);
    if (api::reason_of(*event) == "Started") {
      attempt.start = api::time_of_event(*event);
      attempt.node = string_at(*event, {"source", "host"}, string_at(*event, {"reportingInstance"}));
    }
    if (api::reason_of(*event) == "Killing") attempt.end = api::time_of_event(*event);
  }
  return attempt;
}

}  // namespace

std::map<std::string, long long> made_pods(kube::Client& client, const Json& job) {
  constexpr std::string_view kSaid = "Created pod: ";
  std::map<std::string, long long> made;
  const auto take = [&](const Json& event) {
    const std::string text = api::message_of(event);
    if (text.starts_with(kSaid))
      made[text.substr(kSaid.size())] += std::max<long long>(int_at(event, {"count"}, 1), 1);
  };
  for (const Json& event : events_if_readable(client, job, "involvedObject.uid=" + api::uid_of(job)))
    take(event);
  for (const std::string& worker : workers_of_mpi(job)) made[worker] = 1;
  const std::set<std::string> inner = inner_jobs(client, job);
  if (inner.empty()) return made;
  const Time created = api::created_at(job).value_or(Time());
  for (const Json& event : events_if_readable(client, job, "reason=SuccessfulCreate,involvedObject.kind=Job"))
    if (inner.contains(api::involved_name(event)) &&
        api::time_of_event(event).value_or(created) + kClockSkew >= created)
      take(event);
  return made;
}

std::vector<Attempt> attempts_of_deleted(kube::Client& client, const Json& job,
                                         const std::set<std::string>& pods,
                                         const std::set<std::string>& known) {
  const Time created = api::created_at(job).value_or(Time());
  std::vector<Attempt> attempts;
  size_t read = 0;
  for (const std::string& pod : pods) {
    if (++read > kMostPods) break;
    const std::vector<Json> events =
        events_if_readable(client, job, "involvedObject.kind=Pod,involvedObject.name=" + pod);
    std::map<std::string, std::vector<const Json*>> by_uid;
    for (const Json& event : events) by_uid[api::involved_uid(event)].push_back(&event);
    for (const auto& [uid, own] : by_uid) {
      if (known.contains(uid)) continue;
      Attempt attempt = attempt_in(pod, own);
      attempt.index = index_by_name(pod, job);
      // An earlier job with this name may have had pods with the same names.
      if (attempt.start && *attempt.start + kClockSkew >= created) attempts.push_back(std::move(attempt));
    }
  }
  return attempts;
}

}  // namespace kml::job
