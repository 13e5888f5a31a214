#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/watching/metric_reader.h"
#include "job/logs/container_log.h"
#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/job/logs/shown_lines.h"

namespace kml::engine {

/// A main container from which metrics are read.
struct WatchedContainer {
  std::string name;
  MetricReader reader;
  std::unique_ptr<job::ContainerLog> log = {};  ///< null if its log is not read
  bool has_begun = false, has_gap = false, is_read = false;
  job::ShownLines shown = {};
  std::string last_shown = {};  ///< the last text of the unfinished line
};

struct WatchedPod {
  Json object;
  std::vector<WatchedContainer> containers = {};
  std::optional<int> rank = {};
  std::optional<Time> started = {};
  bool has_ended = false, has_succeeded = false, is_leaving = false, is_gone = false;
  bool is_replaced = false;
  Time gone = {};  ///< when it was deleted
  /// Returns `now` while the pod is running.
  Time end(Time now) const;
  /// Also true with a start time, while its node pulls the image, or cannot create its container.
  bool is_pending() const;
  bool is_running() const { return started && !is_pending() && !has_ended && !is_gone; }
  bool is_over() const { return is_gone || is_leaving || (has_ended && !has_succeeded); }
};

/// The pods of one job, by uid, including deleted ones: which replaces which, and which decides how the job
/// ended.
class WatchedPods : std::map<std::string, WatchedPod> {
 public:
  using map::at, map::begin, map::contains, map::end, map::find, map::operator[];

  /// Marks a pod of the same rank as replaced by a later one. Returns whether `pod` replaces any. Pods are
  /// not listed in the order of their creation.
  bool replace_by(WatchedPod& pod);
  bool any_runs() const;
  /// Whether one waits to run.
  bool any_is_new() const;
  /// How many have ended.
  long long ended() const;
  /// Whether one ended by itself, successfully, and was not deleted.
  bool one_has_succeeded() const;
  /// The pod that failed last by itself. If none has failed, the pod that ran last; nullptr if none has run.
  const WatchedPod* judged() const;
  /// Those that ran when the job ended, without replaced ones.
  std::vector<const Json*> last() const;
  /// Those that still exist.
  std::vector<const Json*> existing() const;
};

}  // namespace kml::engine
