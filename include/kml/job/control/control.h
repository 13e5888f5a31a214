#pragma once

#include <functional>
#include <string>

#include "kml/base/json.h"
#include "kml/job/views/task.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// A patch with these fields. They are in `spec.runPolicy` for the kinds of the group kubeflow.org
/// (PyTorchJob, MPIJob), and in `spec` for other kinds.
Json run_policy_patch(const Json& job, Json fields);

/// Suspends a job, which stops its pods with their grace period. If the job is in a Kueue queue, deactivates
/// its Workload. For a described kind, sends the request in the description. If the job waits for other jobs
/// (--after), it no longer starts when they have ended.
void suspend(kube::Client& client, const Json& job);

/// The result of resume().
enum class Resume {
  done,
  queued,  ///< the job waits in its queue again, until Kueue admits it
  waits,   ///< the job was not suspended: it already waits in its queue, or runs
  after,   ///< the job waits for other jobs again (--after)
};

/// Resumes a job. If the job is in a Kueue queue, it starts once Kueue admits it. A job that waits for other
/// jobs (--after), and that suspend() has not held, starts without waiting for them.
Resume resume(kube::Client& client, const Json& job);

/// Waits until the job is suspended or has ended, and all its pods have ended or are stopping; or until the
/// job is deleted. Meant for jobs that Kueue stops, because Kueue stops them a moment after suspend() and
/// cancel(). Throws Error (unreachable) after one minute.
void wait_until_stopped(kube::Client& client, const Json& job);

/// The result of cancel().
enum class Cancel {
  done,
  again,         ///< the job was already cancelled, and its pods are stopping
  ended,         ///< the job had already ended, perhaps only just now
  by_queue,      ///< Kueue will not start the job again, and will soon suspend it: see wait_until_stopped()
  without_logs,  ///< the user may not change pods, so the job was suspended and lost its pods
};

/// Ends a job, and keeps its object and, if possible, its pods and logs. Marks the job as cancelled, and
/// allows no more attempts.
///
/// On each started pod, sets activeDeadlineSeconds, one of the few fields of a pod that can be changed, to
/// one second. The kubelet then ends the pod with its grace period, and keeps the pod's object and log. If
/// the job has no started pod on a node that answers, or would replace its pods, suspends the job instead; a
/// job in a Kueue queue is suspended through its Workload. Also suspends the job if the user may not patch
/// pods. For a described kind, sends the request in the description instead.
///
/// If the job was already cancelled, repeats the steps that may not have been done. If Kueue could still
/// start the job, throws Error and changes nothing.
///
/// Passes each pod whose node does not answer to `on_lost`: nothing can stop such a pod, so the job is not
/// over. For some kinds, this takes another request.
using OnPod = std::function<void(const Json& pod)>;
Cancel cancel(kube::Client& client, const Json& job, const OnPod& on_lost = {});

/// The result of cancel_task().
enum class TaskCancel {
  done,
  again,    ///< the task was already cancelled, and its pod is stopping
  ended,    ///< the task had already ended
  waits,    ///< the task has no running pod yet, but will get one
  lost,     ///< the node of the task's pod does not answer
  retried,  ///< the Job would restart the task, or fail as a whole
};

/// Ends one task of an Indexed Job in the same way as cancel() ends pods, while other tasks continue. Only
/// possible if the Job has a limit for failures per index, and this limit is 0.
TaskCancel cancel_task(kube::Client& client, const JobOrTask& named);

/// Deletes a job and its pods.
void remove(kube::Client& client, const Json& job);

}  // namespace kml::job
