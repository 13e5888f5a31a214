#pragma once

#include <string>

#include "kml/core/json.h"
#include "kml/jobs/views/task.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// Pauses a job (its pods are ended, with their grace), or lets it go on.
void set_suspended(kube::Client& client, const Json& job, bool suspended);

/// What became of a job that was to be cancelled.
enum class Cancel {
  done,
  again,  ///< it was cancelled before, and its pods are stopping
  ended,  ///< it had already ended
};

/// Ends a job and keeps its object, pods and logs: marks it as cancelled, allows no more attempts, and sets
/// the deadline of each started pod to one second, one of the few fields of a pod that may change. The
/// kubelet then ends the pod with its grace and keeps object and log. A job without a started pod is
/// suspended, and so is one whose pods would be started again. Of one that was cancelled before it does again
/// what may not have been done.
Cancel cancel(kube::Client& client, const Json& job);

/// What became of a task that was to be cancelled.
enum class TaskCancel {
  done,
  again,    ///< it was cancelled before, and its pod is stopping
  ended,    ///< it had already ended
  waits,    ///< it has no pod that runs: Kubernetes would make one all the same
  retried,  ///< its Job would start the task again, or would fail as a whole with it
};

/// Ends one task of an Indexed Job and lets the others go on, in the way that cancel() ends pods. That can
/// only be done where the Job counts failures by index and allows none.
TaskCancel cancel_task(kube::Client& client, const JobOrTask& named);

/// Deletes a job and its pods.
void remove(kube::Client& client, const Json& job);

}  // namespace kml::jobs
