#pragma once

#include "local/events/event_recorder.h"

namespace kml::local {

/// For each pod of a Job or PyTorchJob that has run and ended, writes an AttemptEnded event on the job, so
/// that the job's history survives the deletion of its pods.
class Attempts {
 public:
  Attempts(Store& store, EventRecorder& events);

  /// Records the attempts that ended just before an earlier server was killed.
  void recover();

 private:
  void ended(const Json& pod);

  Store& store_;
  EventRecorder& events_;
};

/// An ended pod as {pod, uid, containers, index, node, start, end, exitCode, signal, reason, by}. `reason`
/// says why the server ended the pod, such as Preempted (`by` names the preemptor's job), Suspended,
/// Cancelled, DeadlineExceeded or Deleted. If the pod ended by itself, `reason` is the container's, such as
/// Completed, Error, StartError or OOMKilled.
Json attempt_of(const Json& pod);

/// An annotation on a pod that its controller deletes or ends: the reason, unless the pod itself is the
/// cause.
inline constexpr std::string_view kEndedBy = "kml.dev/ended-by";

}  // namespace kml::local
