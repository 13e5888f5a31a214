#include "job/views/never_ran.h"

#include <algorithm>

#include "job/views/time_limit.h"
#include "kml/job/kinds/job_kind.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

bool ended_while_it_waited(const Json& job, std::span<const Json* const> pods) {
  const api::Condition failed = api::condition(job, "Failed");
  if (!failed.is_true() || failed.reason() != "DeadlineExceeded" || !limit_began(job)) return false;
  const bool is_training = api::kind_name(job) == "PyTorchJob";
  if (!is_training && !is_plain_job(job)) return false;
  // Pods that run at the time limit are stopped, and count as failed.
  const auto counts = [](const Json& status) {
    return int_at(status, {"succeeded"}) > 0 || int_at(status, {"failed"}) > 0 ||
           int_at(status, {"ready"}) > 0;
  };
  if (is_training && api::condition(job, "Running")) return false;
  if (counts(api::status_of(job)) ||
      std::ranges::any_of(object_at(job, {"status", "replicaStatuses"}), counts))
    return false;
  return std::ranges::none_of(
      pods, [](const Json* pod) { return !api::node_of(*pod).empty() || api::pod_has_ended(*pod); });
}

std::string deletion_in_words(const Json& job) {
  const bool has_begun = api::started_at(job) || !object_at(job, {"status", "replicaStatuses"}).empty() ||
                         !array_at(job, {"status", "replicatedJobsStatus"}).empty() ||
                         !array_at(job, {"status", "jobsStatus"}).empty() || described_kind_of(job);
  return has_begun ? "deleted" : "deleted before it started";
}

}  // namespace kml::job
