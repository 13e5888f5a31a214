#include "job/commands/printed_entries.h"

#include <unordered_set>
#include <utility>

#include "kml/base/json.h"
#include "kml/job/views/job_view.h"

namespace kml::cli {

void PrintedEntries::note(const std::vector<const job::QueueEntry*>& changed,
                          const std::vector<const job::QueueEntry*>& printed) {
  for (const job::QueueEntry* entry : changed) by_id_.erase(job::id_of(*entry));
  for (const job::QueueEntry* entry : printed) {
    if (!entry->object) continue;  // a pod without a job does not show how its work ended
    job::QueueEntry& kept = by_id_[job::id_of(*entry)] = *entry;
    kept.object = nullptr;
  }
}

std::vector<job::QueueEntry> PrintedEntries::take_left(const job::JobQueue& queue,
                                                       const std::vector<const job::QueueEntry*>& present) {
  std::unordered_set<std::string> there;
  for (const job::QueueEntry* entry : present) there.insert(job::id_of(*entry));
  std::map<std::string, job::QueueEntry> left;
  for (auto it = by_id_.begin(); it != by_id_.end();) {
    const auto entry = it++;
    if (there.contains(entry->first)) continue;
    left.insert(by_id_.extract(entry));
  }
  for (auto& [id, entry] : left) {
    entry.position = 0;
    entry.job.state = job::State::cancelled;
    entry.job.cause = "deleted";
  }
  if (left.empty()) return {};
  queue.each_job([&](const Json& object, const job::QueueEntry& entry) {
    if (object.is_null() || !job::has_ended(entry.job.state)) return;
    if (const auto found = left.find(job::id_of(entry)); found != left.end()) found->second = entry;
  });
  std::vector<job::QueueEntry> entries;
  for (auto& [id, entry] : left) {
    entry.object = nullptr;
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace kml::cli
