#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "job/queue/entry.h"
#include "job/queue/queue.h"
#include "job/queue/rank.h"

namespace kml::job {

/// The part of a line that entries() needs.
struct PlacedEntry {
  QueueEntry entry;
  Rank rank;
  std::optional<Time> ends_at, saved_at;  ///< the times in the job's log, see QueueEntry
};

/// A line of the queue: a job or a group of pods.
///
/// Objects arrive one by one, in any order, and each changes a single line, which is found by name. Only
/// changed lines are computed and sorted again: otherwise, `kml queue -w` would process 10,000 waiting jobs
/// for each pod that starts. Only a few changes affect all lines, such as those of PriorityClasses and
/// queues.
struct QueueLine {
  const std::string* id = nullptr;  ///< "namespace/Kind/name"
  std::string kind;                 ///< the job's own kind
  QueueRecord record;
  int kueue_position = 0;
  bool is_listed = false, is_changed = false;
  bool is_settled = false;  ///< whether the entry and the rank were computed from the current record
  bool is_to_settle = false;
  int settlings = 0;  ///< how many times the entry was computed since the last call of entries()
  std::unique_ptr<PlacedEntry> placed;  ///< null if the queue is packed
  /// the pod's index in record.pods, by the pod's name
  std::unordered_map<std::string, size_t> place_of_pod;

  bool is_empty() const { return record.job.is_null() && record.workload.is_null() && record.pods.empty(); }
  /// "Kind/name"
  std::string key() const { return id->substr(id->find('/') + 1); }
  static bool before(const QueueLine* a, const QueueLine* b) { return a->placed->rank < b->placed->rank; }
};

}  // namespace kml::job
