#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kml/jobs/queue/queue.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// What the end of a training's log tells.
struct Progress {
  std::optional<double> step, steps;  ///< done, and wanted in all
  std::optional<Time> ends_at;        ///< at the pace of these lines
  std::optional<Time> saved_at;       ///< its last checkpoint
  /// The latest value of each other metric, in the order in which they came: "loss", "gpu_util".
  std::vector<std::pair<std::string, double>> metrics;
};

/// `log` with the kubelet's time stamps. How many steps there are is read from a line ("step 20/100", a
/// member max_steps or total_steps) or from the job's command (--max_steps 100).
Progress progress_of(std::string_view log, std::string_view command);

/// For the entries that run, of the end of one pod's log each: the first by name, which is rank 0. `entries`
/// and the result go in step; at most 50 are read, and none waited for longer than two seconds.
std::vector<Progress> read_progress(kube::Client& client, std::span<const QueueEntry* const> entries);

}  // namespace kml::jobs
