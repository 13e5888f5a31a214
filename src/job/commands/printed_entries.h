#pragma once

#include <map>
#include <string>
#include <vector>

#include "job/queue/queue.h"

namespace kml::cli {

/// The jobs that `kml queue -w` has printed. Finds out which of them have left the queue.
class PrintedEntries {
 public:
  /// `changed` are the new and changed entries, and `printed` those of them that are printed. An entry that
  /// the flags no longer select is forgotten.
  void note(const std::vector<const job::QueueEntry*>& changed,
            const std::vector<const job::QueueEntry*>& printed);
  /// The printed jobs that are not among `present`, the entries of the queue, with the state in which they
  /// ended. Each is returned once. A deleted job is cancelled. Their `object` is null.
  std::vector<job::QueueEntry> take_left(const job::JobQueue& queue,
                                         const std::vector<const job::QueueEntry*>& present);

 private:
  std::map<std::string, job::QueueEntry> by_id_;
};

}  // namespace kml::cli
