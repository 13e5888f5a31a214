#include "job/queue/preempted_jobs.h"

#include <algorithm>

#include "kml/job/views/kinds.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

using Jobs = std::map<std::string, const Json*>;

/// The job of a deleted pod, judging by the pod's name: "bert" for "bert-x7k2p" and for "bert-3-x7k2p".
std::string job_of_name(const Jobs& jobs, std::string name) {
  for (int parts = 0; parts < 2; ++parts) {
    const size_t dash = name.rfind('-');
    if (dash == std::string::npos) return {};
    name.resize(dash);
    if (jobs.contains(name)) return name;
  }
  return {};
}

void keep_newest(std::map<std::string, Disruption>& newest, const std::string& job, Disruption disruption) {
  Disruption& known = newest[job];
  const bool is_same = known.uid == disruption.uid && !known.by.empty();
  if (!is_same && disruption.time >= known.time) known = std::move(disruption);
}

bool is_pod(const Json& pod, const Json& reference) {
  const std::string name = api::entry_name(reference);
  if (name.empty()) return api::uid_of(pod) == api::entry_uid(reference);
  return api::name_of(pod) == name && api::namespace_of(pod) == string_at(reference, {"namespace"});
}

/// The name of the pod's job, if it is in the queue; otherwise the pod's name, or "" if that is not known.
std::string owner_of(const JobQueue& queue, const std::string& namespace_name, const Json& reference) {
  std::string owner = api::entry_name(reference), in = string_at(reference, {"namespace"});
  if (!owner.empty()) owner = "pod " + owner;
  queue.each([&](const Json& job, const std::vector<Json>& pods, const QueueEntry&) {
    for (const Json& pod : pods)
      if (job.is_object() && is_pod(pod, reference)) owner = api::name_of(job), in = api::namespace_of(pod);
  });
  return owner.empty() || in == namespace_name ? owner : in + "/" + owner;
}

}  // namespace

std::map<std::string, Disruption> preempted_jobs(kube::Client& client, const std::string& namespace_name,
                                                 const JobQueue& queue, const Submissions& records) {
  std::map<std::string, Disruption> newest;
  Jobs waiting;
  queue.each_job([&](const Json& job, const QueueEntry& entry) {
    if (entry.job.state == job::State::waiting && job.is_object() && api::namespace_of(job) == namespace_name)
      waiting[api::name_of(job)] = &job;
  });
  if (waiting.empty()) return newest;
  const auto recorded = records.disruptions();
  for (const auto& [name, job] : waiting)
    if (const auto found = recorded.find(disruption_key(*job)); found != recorded.end())
      for (const Disruption& disruption : found->second)
        if (disruption.reason == kPreempted) keep_newest(newest, name, disruption);
  for (ToldPreemption& told : told_preemptions(client, namespace_name)) {
    const std::string name = job_of_name(waiting, told.disruption.pod);
    if (name.empty()) continue;
    const auto made = parse_rfc3339(api::creation_text(*waiting[name]));
    if (made && told.disruption.time < *made) continue;
    told.disruption.by = owner_of(queue, namespace_name, told.preemptor);
    keep_newest(newest, name, std::move(told.disruption));
  }
  return newest;
}

}  // namespace kml::job
