#pragma once

#include <string>
#include <vector>

#include "kml/base/json.h"

namespace kml::job {

/// Throws usage Error with a valid name if an object's controller could not derive valid names from the
/// object's name. The API server accepts such an object, but its pods never start. Ignores objects whose
/// controllers derive no names.
void check_job_names(const std::vector<Json>& objects);

/// Like check_job_names(), for jobs that will be called `name` plus `appended`; ignores the job's own name.
void check_name_for_job(const Json& job, const std::string& name, const std::string& appended);

}  // namespace kml::job
