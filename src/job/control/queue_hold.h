#pragma once

#include "kml/base/json.h"
#include "kml/kube/client/client.h"

// Kueue suspends and resumes the jobs of its queues as their Workloads say, whatever the job's own `suspend`
// is. An inactive Workload is never admitted, and the pods of its job are deleted. Source:
// https://kueue.sigs.k8s.io/docs/concepts/workload/#active

namespace kml::job {

/// The result of changing a job's Workloads.
enum class QueueHold {
  not_in_queue,  ///< Kueue does not decide about the job
  unchanged,     ///< its Workloads already were so
  changed,
};

/// Keeps Kueue from admitting the job, and lets it stop the job if it was admitted. Waits until Kueue has
/// created the Workload of a job that was submitted just before. Throws Error if it does not, or if the user
/// may not change Workloads: Kueue may then start the job at any time.
QueueHold deactivate(kube::Client& client, const Json& job);

/// Lets Kueue admit the job again. `unchanged` if the job waits in its queue already.
QueueHold activate(kube::Client& client, const Json& job);

}  // namespace kml::job
