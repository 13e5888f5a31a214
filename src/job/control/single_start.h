#pragma once

#include <vector>

#include "kml/base/json.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// Lets a schedule of --at start its job, and makes sure that it starts only once. `cron_job` is the stored
/// CronJob, which put_on_schedule() created suspended. Its schedule names no year, so it would start another
/// job a year later. Nothing in Kubernetes deletes a CronJob after its first start; a pod that does so would
/// need an image with a client and more rights than the job. But Kubernetes deletes ended Jobs when their
/// ttlSecondsAfterFinished is over, and then what they own. So the CronJob gets an owner: a Job without pods,
/// which ends at once and is deleted half a year after the start. Returns the changed CronJob. Throws Error,
/// and deletes the CronJob, if the time had passed when the server created it.
Json allow_single_start(kube::Client& client, const Json& cron_job);

/// Deletes the owners that allow_single_start() gave to the schedule, among `jobs`.
void remove_start_guards(kube::Client& client, const Json& cron_job, const std::vector<Json>& jobs);

}  // namespace kml::job
