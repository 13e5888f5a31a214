#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "job/queue/queue.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// A training's progress, from the end of its log.
struct Progress {
  std::optional<double> step, steps;  ///< done, and in total
  std::optional<Time> ends_at;        ///< an estimate, from the pace in these lines
  std::optional<Time> saved_at;       ///< its last checkpoint
  /// The value of each other metric at its greatest step, in order of appearance: "loss", "gpu_util".
  std::vector<std::pair<std::string, double>> metrics;
};

/// `log` has the kubelet's timestamps. The total number of steps comes from a line ("step 20/100", a member
/// max_steps or total_steps) or from the job's command (--max_steps 100).
Progress progress_of(std::string_view log, std::string_view command);

/// The progress of each running entry, from the end of the log of its first pod by name (rank 0). The result
/// has the order of `entries`. Reads at most 50 logs and waits at most two seconds for each.
std::vector<Progress> read_progress(kube::Client& client, std::span<const QueueEntry* const> entries);

}  // namespace kml::job
