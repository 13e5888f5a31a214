#pragma once

#include <vector>

#include "kml/base/json.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// Lets a schedule of --at start its job, and makes sure that the job starts only once. `cron_job` is the
/// stored CronJob, which put_on_schedule() created suspended. Returns the changed CronJob. If the start time
/// had passed when the server created the CronJob, deletes it and throws Error.
///
/// A CronJob's schedule has no year, so it would start another job a year later. Nothing in Kubernetes
/// deletes a CronJob after its first start, and a pod that did so would need an image with a client, and more
/// rights than the job. But Kubernetes deletes a Job when its ttlSecondsAfterFinished has passed, and then
/// deletes the objects that it owns. So the CronJob gets an owner: a Job without pods that finishes at once
/// and is deleted half a year after the start.
Json allow_single_start(kube::Client& client, const Json& cron_job);

/// Deletes those of `jobs` that allow_single_start() made the schedule's owners.
void remove_start_guards(kube::Client& client, const Json& cron_job, const std::vector<Json>& jobs);

}  // namespace kml::job
