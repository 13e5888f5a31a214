#pragma once

#include "local/api/api_error.h"

namespace kml::local {

/// Checks a Job's podFailurePolicy and podReplacementPolicy; `spec` is the Job's, with its defaults.
void validate_failure_policy(const Json& spec, FieldErrors& errors);

}  // namespace kml::local
