#pragma once

#include "local/api/api_error.h"

namespace kml::local {

// The rules for Jobs that are also used for the job template in a CronJob.

void set_job_defaults(Json& job);

/// Checks the spec, apart from the selector, which only a Job itself has (pkg/apis/batch/validation,
/// validateJobSpec). The spec's defaults must already be set.
void validate_job_spec(const Json& job, FieldErrors& errors);

}  // namespace kml::local
