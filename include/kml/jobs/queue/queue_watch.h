#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kml/jobs/queue/queue.h"
#include "kml/jobs/views/interrupt.h"
#include "kml/kube/watch.h"

namespace kml::jobs {

class DisruptionNotes;

/// The queue of read_queue(), kept up to date by one watch a kind. A watch that breaks is taken up again by
/// itself; until then the queue stays as it was last known. Who preempts whom meanwhile is recorded.
class QueueWatch {
 public:
  QueueWatch(kube::Client& client, const std::string& namespace_name);
  ~QueueWatch();

  /// Waits for the next change, at most for `limit`; whether one came. Changes that come together count as
  /// one. The first time it waits for all lists, without a limit. Throws Error (interrupted) after a signal,
  /// and where a watch has ended for good.
  bool wait(const Interrupt& interrupt, std::chrono::milliseconds limit);

  QueueState& state() { return state_; }
  /// Why what is shown may be old: "the watch of pods fell silent"; empty if all watches are open.
  std::string trouble() const;

 private:
  void watch_all();
  void watch(const api::ResourceKind& kind, const std::string& namespace_name);
  void watch_kueue();
  void take(kube::Change change, const api::ResourceKind& kind, const Json& object);
  void note_disruption(const Json& pod);
  bool take_failure(const api::ResourceKind& kind, const Error& error);

  struct Source;
  kube::Client& client_;
  const std::string namespace_;
  QueueState state_;
  std::vector<std::unique_ptr<Source>> sources_;
  bool names_queue_ = false;  ///< a job's label does: Kueue's, which nobody watches before
  bool changed_ = false, nodes_changed_ = false, falls_back_ = false, has_kueue_ = false;
  std::optional<Error> failure_;
  std::map<std::string, Json> nodes_;
  std::unique_ptr<DisruptionNotes> disruptions_;
};

}  // namespace kml::jobs
