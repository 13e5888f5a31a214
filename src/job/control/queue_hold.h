#pragma once

#include "kml/base/json.h"
#include "kml/kube/client/client.h"

// Kueue suspends and resumes the jobs in its queues according to their Workloads, and ignores the job's own
// `suspend`. It never admits an inactive Workload, and deletes the pods of that Workload's job. Source:
// https://kueue.sigs.k8s.io/docs/concepts/workload/#active

namespace kml::job {

/// What deactivate() or activate() did to a job's Workloads.
enum class QueueHold {
  not_in_queue,  ///< Kueue does not manage the job
  unchanged,     ///< the Workloads were already inactive, or already active
  changed,
};

/// Keeps Kueue from admitting the job; if it was already admitted, makes Kueue stop it. If the job was just
/// submitted, waits until Kueue has created its Workload. Throws Error if Kueue does not create it, or if the
/// user may not change Workloads; in both cases, Kueue may start the job at any time.
QueueHold deactivate(kube::Client& client, const Json& job);

/// Lets Kueue admit the job again, by a new Workload if Kueue had given up the old one. Returns `unchanged`
/// if the job already waits in its queue or runs.
QueueHold activate(kube::Client& client, const Json& job);

}  // namespace kml::job
