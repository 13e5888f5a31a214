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

/// Keeps the queue of read_queue() up to date, with one watch per kind. A broken watch resumes by itself;
/// until then, the queue stays in its last known state. Records the disruptions of pods that it sees.
class QueueWatch {
 public:
  QueueWatch(kube::Client& client, const std::string& namespace_name, QueueForm form = QueueForm::whole);
  ~QueueWatch();

  /// Waits up to `limit` for the next change, and returns whether one came. Changes that arrive together are
  /// handled as one. The first call waits for all lists, however long that takes. Throws Error (interrupted)
  /// after a signal, and Error if a watch has ended permanently.
  bool wait(const Interrupt& interrupt, std::chrono::milliseconds limit);

  QueueState& state() { return state_; }
  /// Why the queue may be outdated, such as "the watch of pods fell silent"; empty if all watches are open.
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
  const QueueForm form_;
  QueueState state_;
  std::vector<std::unique_ptr<Source>> sources_;
  bool names_queue_ = false;  ///< whether a job's label refers to a queue; Kueue is only watched in that case
  bool changed_ = false, nodes_changed_ = false, falls_back_ = false, has_kueue_ = false;
  std::optional<Error> failure_;
  std::map<std::string, Json> nodes_;
  std::unique_ptr<DisruptionNotes> disruptions_;
};

}  // namespace kml::job
