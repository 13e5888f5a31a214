#pragma once

#include <string>
#include <vector>

#include "kml/base/json.h"

namespace kml::job {

/// Throws Error (usage), with a valid name, if a job's name leaves its controller no valid names for the
/// objects that it creates: the API server accepts such a job, and it never starts. Ignores objects that are
/// not jobs.
void check_job_names(const std::vector<Json>& objects);

/// The same for jobs whose names will be `name` and `appended`; the job's own name is ignored.
void check_name_for_job(const Json& job, const std::string& name, const std::string& appended);

}  // namespace kml::job
