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

/// A main container whose log or message may contain metrics.
struct WatchedContainer {
  std::string name;
  MetricReader reader;
  std::unique_ptr<job::ContainerLog> log = {};  ///< the container's log; null if it is not read
  bool has_begun = false, has_gap = false, is_read = false;
  job::ShownLines shown = {};
  std::string last_shown = {};  ///< the latest text of the line that is still incomplete
};

struct WatchedPod {
  Json object;
  std::vector<WatchedContainer> containers = {};
  std::optional<int> rank = {};
  std::optional<Time> started = {};
  bool has_ended = false, has_succeeded = false, is_leaving = false, is_gone = false;
  bool is_replaced = false;
  Time gone = {};  ///< when the pod was deleted
  /// When the pod ended; `now` if it is still running.
  Time end(Time now) const;
  /// Whether the pod is pending. True, too, for a pod with a start time whose node is still pulling the image
  /// or cannot create the container.
  bool is_pending() const;
  bool is_running() const { return started && !is_pending() && !has_ended && !is_gone; }
  /// Whether the pod runs on a node that answers.
  bool is_at_work() const;
  bool is_over() const { return is_gone || is_leaving || (has_ended && !has_succeeded); }
};

/// The pods of one job by uid, including deleted pods. Knows which pod replaces which, and which pod decides
/// how the job ended.
class WatchedPods : std::map<std::string, WatchedPod> {
 public:
  using map::at, map::begin, map::contains, map::end, map::find, map::operator[];

  /// Marks earlier pods of the same rank as replaced by `pod`, or `pod` as replaced by a later one: pods are
  /// not listed in the order of their creation. Returns whether `pod` replaces any.
  bool replace_by(WatchedPod& pod);
  /// Whether any pod runs. A pod on a node that does not answer may still run.
  bool any_runs() const;
  bool any_is_at_work() const;
  /// Whether any pod waits to run, or waits for its node to answer.
  bool any_waits() const;
  /// How many pods have ended.
  long long ended() const;
  /// Whether a pod has succeeded and was not deleted.
  bool one_has_succeeded() const;
  /// Of the pods that failed on their own, the one that started last. If none has failed, the pod that
  /// started last; nullptr if none has started.
  const WatchedPod* judged() const;
  /// The judged pod, and the pods that were neither over nor disrupted when it started. All pods if none has
  /// started.
  std::vector<const Json*> last() const;
  /// The pods that still exist.
  std::vector<const Json*> existing() const;
};

}  // namespace kml::engine
