#pragma once

#include <string>
#include <vector>

#include "kml/base/json.h"

namespace kml::job {

/// Throws Error (usage), with a name that would do, if a job's name leaves its controller no valid names for
/// what it makes: the API server accepts such a job, and it never starts. Ignores objects that are no jobs.
void check_job_names(const std::vector<Json>& objects);

/// The same for jobs whose names will be `name` and `appended`; the job's own name is ignored.
void check_name_for_job(const Json& job, const std::string& name, const std::string& appended);

}  // namespace kml::job
