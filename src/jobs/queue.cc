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
    entries.push_back(std::move(entry));
  }
  auto rank = [](State state) { return state == State::running ? 0 : state == State::waiting ? 1 : 2; };
  std::sort(entries.begin(), entries.end(), [&](const QueueEntry& a, const QueueEntry& b) {
    return std::tuple(rank(a.job.state), -a.priority, a.job.created, a.job.name) <
           std::tuple(rank(b.job.state), -b.priority, b.job.created, b.job.name);
  });
  int position = 0;
  for (QueueEntry& entry : entries)
    if (entry.job.state == State::waiting) entry.position = ++position;
  return entries;
}

}  // namespace kml::jobs
