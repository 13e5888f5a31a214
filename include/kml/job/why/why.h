#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/views/job_view.h"
#include "kml/job/views/pod_view.h"
#include "kml/job/views/task.h"
#include "kml/job/why/cause.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// The view of a job, including why it waits or has failed. `pods` are the pods of the job. Without them,
/// the view is made from the job's status alone. `workload` is the job's Kueue Workload. Without it, a
/// suspended job in a queue is shown as waiting.
JobView view_of_job(const Json& job, std::span<const Json* const> pods = {}, const Json* workload = nullptr);

/// Corrects the view of a job for a cluster that certainly does not have Kueue: a job that is suspended in a
/// Kueue queue is never admitted.
void say_that_kueue_is_missing(const Json& job, JobView& view);

/// Whether the job cannot start because a job that it waits for (--after) did not end as required, or cannot
/// start itself.
bool waits_in_vain(const JobView& job);

/// The view of a pod, including why it waits or has failed.
PodView view_of_pod(const Json& pod);

/// The complete explanation of a job's state.
struct Verdict {
  JobView job;
  Json object = {};                            ///< the job
  std::optional<std::vector<Json>> pods = {};  ///< the job's pods; empty if the user may not read them
  std::vector<Cause> causes = {};              ///< at least one cause; the most important one comes first
  std::vector<std::string> unknown = {};       ///< the checks that could not be made, and why
};

/// Why a task has no pod yet, if the reason is the array's limit for running tasks; otherwise empty.
std::optional<Cause> task_waits(const JobOrTask& named, std::span<const Json* const> pods);

/// Reads the job or task with this name, and the objects that are relevant for its state, with at most eleven
/// requests, and some more in some cases, such as for queues and awaited jobs. `unknown` lists what
/// the user may not read; the verdict uses the rest. Throws Error if no job has the name, or if find_job()
/// finds two jobs.
Verdict why(kube::Client& client, std::string_view namespace_name, std::string_view name);

}  // namespace kml::job
