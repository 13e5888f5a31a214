#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "job/queue/queue.h"
#include "kml/job/views/interrupt.h"
#include "kml/kube/client/watch.h"

namespace kml::job {

class DisruptionNotes;

/// The queue of read_queue(), kept up to date by one watch per kind. A broken watch resumes by itself; until
/// then the queue keeps its last known state. Records preemptions that happen meanwhile.
class QueueWatch {
 public:
  QueueWatch(kube::Client& client, const std::string& namespace_name);
  ~QueueWatch();

  /// Waits up to `limit` for the next change and returns whether one came. Simultaneous changes are returned
  /// as one. The first call waits for all lists, without a limit. Throws Error (interrupted) after a signal,
  /// or Error if a watch has ended permanently.
  bool wait(const Interrupt& interrupt, std::chrono::milliseconds limit);

  QueueState& state() { return state_; }
  /// Why the queue may be outdated: "the watch of pods fell silent"; empty if all watches are open.
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
  bool names_queue_ = false;  ///< whether a job's label names a queue: only then is Kueue watched
  bool changed_ = false, nodes_changed_ = false, falls_back_ = false, has_kueue_ = false;
  std::optional<Error> failure_;
  std::map<std::string, Json> nodes_;
  std::unique_ptr<DisruptionNotes> disruptions_;
};

}  // namespace kml::job
