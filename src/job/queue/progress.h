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

/// A training's progress, judging by the end of its log.
struct Progress {
  std::optional<double> step, steps;  ///< steps done, and steps in total
  std::optional<Time> ends_at;        ///< estimated from the speed at the end of the log
  std::optional<Time> saved_at;       ///< when the last checkpoint was saved
  /// The value of each other metric at its highest step. The metrics are in the order of their first lines:
  /// "loss", "gpu_util".
  std::vector<std::pair<std::string, double>> metrics;
};

/// `log` has the kubelet's timestamps. The total number of steps comes from a line ("step 20/100", or a
/// member max_steps or total_steps) or from the job's command (--max_steps 100).
Progress progress_of(std::string_view log, std::string_view command);

/// The progress of each running entry, from the end of the log of its first running pod by name, usually that
/// of rank 0. The result is in the order of `entries`. Reads at most 50 logs, at the same time and for at
/// most two seconds.
std::vector<Progress> read_progress(kube::Client& client, std::span<const QueueEntry* const> entries);

}  // namespace kml::job
