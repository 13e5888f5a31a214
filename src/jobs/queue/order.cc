#include "kml/jobs/queue.h"

#include <algorithm>
#include <tuple>

namespace kml::jobs {

Priorities list_priorities(kube::Client& client) {
  Priorities priorities = {{"", 0}};
  try {
    for (const Json& item : client.list(*api::find_kind("scheduling.k8s.io/v1", "PriorityClass"), {}).items) {
      long long value = int_at(item, {"value"});
      priorities[string_at(item, {"metadata", "name"})] = value;
      if (bool_at(item, {"globalDefault"})) priorities[""] = value;
    }
  } catch (const Error& error) {
    // Who may see their jobs may not always see cluster-wide objects: the order is by age then.
    if (error.http_status != 403 && error.http_status != 404) throw;
  }
  return priorities;
}

namespace {

/// The scheduler orders pods, not jobs.
Time oldest_waiting_pod(std::span<const Json* const> pods, Time fallback) {
  std::optional<Time> oldest;
  for (const Json* pod : pods) {
    if (!string_at(*pod, {"spec", "nodeName"}).empty()) continue;
    auto created = parse_rfc3339(string_at(*pod, {"metadata", "creationTimestamp"}));
    if (created && (!oldest || *created < *oldest)) oldest = created;
  }
  return oldest.value_or(fallback);
}

}  // namespace

std::vector<QueueEntry> queue_of(const std::vector<Json>& jobs, const PodsByJob& pods,
                                 const Priorities& priorities) {
  std::vector<QueueEntry> entries;
  for (const Json& job : jobs) {
    if (has_ended(state_of(job, false))) continue;
    auto own_pods = pods.of(job);
    QueueEntry entry{view_of_job(job, own_pods)};
    if (has_ended(entry.job.state)) continue;
    auto priority = priorities.find(entry.job.priority_class);
    entry.priority = priority == priorities.end() ? 0 : priority->second;
    if (!own_pods.empty()) entry.priority = int_at(*own_pods[0], {"spec", "priority"}, entry.priority);
    entry.waiting_since = oldest_waiting_pod(own_pods, entry.job.created);
    entries.push_back(std::move(entry));
  }
  auto rank = [](State state) { return state == State::running ? 0 : state == State::waiting ? 1 : 2; };
  std::sort(entries.begin(), entries.end(), [&](const QueueEntry& a, const QueueEntry& b) {
    return std::tuple(rank(a.job.state), -a.priority, a.waiting_since, a.job.name) <
           std::tuple(rank(b.job.state), -b.priority, b.waiting_since, b.job.name);
  });
  int position = 0;
  for (QueueEntry& entry : entries)
    if (entry.job.state == State::waiting) entry.position = ++position;
  return entries;
}

}  // namespace kml::jobs
