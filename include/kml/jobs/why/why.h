#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/core/json.h"
#include "kml/jobs/views/job_view.h"
#include "kml/jobs/views/pod_view.h"
#include "kml/jobs/views/task.h"
#include "kml/jobs/why/cause.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// A job with the cause why it waits or failed. `pods` are the job's own; without them the job's status alone
/// is read.
JobView view_of_job(const Json& job, std::span<const Json* const> pods = {});

/// A pod with its cause.
PodView view_of_pod(const Json& pod);

/// All that can be told about why a job does what it does.
struct Verdict {
  JobView job;
  Json object = {};                            ///< the job
  std::optional<std::vector<Json>> pods = {};  ///< its own; empty if they may not be read
  std::vector<Cause> causes = {};              ///< the one that counts first; never empty
  std::vector<std::string> unknown = {};       ///< what could not be looked into, and why
};

/// Why a task has no pod yet: as many others run as are allowed; empty if that is not so.
std::optional<Cause> task_waits(const JobOrTask& named, std::span<const Json* const> pods);

/// Reads the job or task of that name, and whatever its state makes relevant, with at most ten requests. What
/// the user may not read is named in `unknown`; the verdict rests on the remainder. Throws Error if there is
/// no such job, or several.
Verdict why(kube::Client& client, std::string_view namespace_name, std::string_view name);

}  // namespace kml::jobs
