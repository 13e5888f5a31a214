#pragma once

#include "local/events/event_recorder.h"

namespace kml::local {

/// Writes an AttemptEnded event on a Job or PyTorchJob for each of its pods that has run and ended, so that
/// its history outlives the pods.
class Attempts {
 public:
  Attempts(Store& store, EventRecorder& events);

  /// Takes up what ended just before a server was killed.
  void recover();

 private:
  void ended(const Json& pod);

  Store& store_;
  EventRecorder& events_;
};

/// {pod, uid, containers, index, node, start, end, exitCode, reason, by} of a pod that has ended. `reason`
/// says who ended it: Preempted (`by` which job), Suspended, DeadlineExceeded, Deleted; else the container's:
/// Completed, Error, StartError, OOMKilled.
Json attempt_of(const Json& pod);

/// Annotation of a pod that its controller deletes: the reason, where the pod itself is not to blame.
inline constexpr std::string_view kEndedBy = "kml.dev/ended-by";

}  // namespace kml::local
