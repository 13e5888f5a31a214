#pragma once

#include "local/events/event_recorder.h"

namespace kml::local {

/// Writes an AttemptEnded event on a Job or PyTorchJob for each of its pods that has run and ended, so that
/// the job's history survives the deletion of its pods.
class Attempts {
 public:
  Attempts(Store& store, EventRecorder& events);

  /// Records the attempts that ended just before a server was killed.
  void recover();

 private:
  void ended(const Json& pod);

  Store& store_;
  EventRecorder& events_;
};

/// {pod, uid, containers, index, node, start, end, exitCode, reason, by} of an ended pod. `reason` is why it
/// was ended: Preempted (`by` names the preemptor's job), Suspended, DeadlineExceeded or Deleted. If the pod
/// ended by itself, `reason` is the container's: Completed, Error, StartError or OOMKilled.
Json attempt_of(const Json& pod);

/// Annotation of a pod that its controller deletes: the reason, if the pod itself did not cause it.
inline constexpr std::string_view kEndedBy = "kml.dev/ended-by";

}  // namespace kml::local
