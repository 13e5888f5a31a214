#pragma once

#include <string>

#include "kml/base/json.h"
#include "kml/job/views/task.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// A patch of `fields`, which are in `spec.runPolicy` for the kinds of Kubeflow's operators and in `spec` for
/// other kinds.
Json run_policy_patch(const Json& job, Json fields);

/// Suspends a job, which stops its pods with their grace period. If the job is in a Kueue queue, deactivates
/// its Workload.
void suspend(kube::Client& client, const Json& job);

/// The result of resuming a job.
enum class Resume {
  done,
  queued,  ///< it waits in its queue again, until Kueue admits it
  waits,   ///< it was not suspended: it already waits in its queue
};

/// Resumes a job. A job in a queue of Kueue starts once Kueue admits it.
Resume resume(kube::Client& client, const Json& job);

/// Waits until the job is suspended or has ended, and all of its pods have ended or are stopping; for jobs
/// that Kueue stops, which happens a moment after suspend() and cancel(). Throws Error (unreachable) after a
/// minute.
void wait_until_stopped(kube::Client& client, const Json& job);

/// The result of cancelling a job.
enum class Cancel {
  done,
  again,     ///< it was already cancelled, and its pods are stopping
  ended,     ///< it had already ended
  by_queue,  ///< Kueue will not start it again, and suspends it soon: see wait_until_stopped()
};

/// Ends a job and keeps its object, pods and logs. Marks the job as cancelled and allows no more attempts.
/// Sets activeDeadlineSeconds of each started pod to one second; this is one of a pod's few mutable fields.
/// The kubelet then ends the pod with its grace period and keeps its object and log. If the job has no
/// started pod, or would replace its pods, suspends the job instead: in a queue of Kueue, by its Workload. If
/// it was already cancelled, repeats the steps that may not have been done. Throws Error, and changes
/// nothing, if Kueue could still start the job.
Cancel cancel(kube::Client& client, const Json& job);

/// The result of cancelling a task.
enum class TaskCancel {
  done,
  again,    ///< it was already cancelled, and its pod is stopping
  ended,    ///< it had already ended
  waits,    ///< it has no running pod, and Kubernetes would still create one
  retried,  ///< its Job would restart the task, or fail as a whole
};

/// Ends one task of an Indexed Job while the others continue, in the way that cancel() ends pods. Possible
/// only if the Job counts failures per index and allows none.
TaskCancel cancel_task(kube::Client& client, const JobOrTask& named);

/// Deletes a job and its pods.
void remove(kube::Client& client, const Json& job);

}  // namespace kml::job
