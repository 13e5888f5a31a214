#pragma once

#include "local/api/api_error.h"

namespace kml::local {

// Parts of the rules for Jobs that also apply to the job template of a CronJob.

void set_job_defaults(Json& job);

/// Checks the spec except for the selector, which only a Job itself has (pkg/apis/batch/validation,
/// validateJobSpec). The spec must have its defaults.
void validate_job_spec(const Json& job, FieldErrors& errors);

}  // namespace kml::local
