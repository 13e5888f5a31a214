#pragma once

#include <span>

#include "kml/core/json.h"
#include "kml/jobs/views/job_view.h"
#include "kml/jobs/views/pod_view.h"

namespace kml::jobs {

/// A job with the cause why it waits or failed. `pods` are the job's own; without them the job's status alone
/// is read.
JobView view_of_job(const Json& job, std::span<const Json* const> pods = {});

/// A pod with its cause.
PodView view_of_pod(const Json& pod);

}  // namespace kml::jobs
