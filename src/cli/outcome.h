#pragma once

#include "cli/context.h"
#include "kml/jobs/views/job_view.h"

namespace kml::cli {

/// Exit code by how a job ended: 0 or 3.
int exit_code_of(const jobs::JobView& job);

/// Says how it ended on standard error, and notes it in the run records.
void report_end(Context& context, const Json& job, const jobs::JobView& view);

/// Ctrl-C ended the waiting for these jobs, or for pods of none: says that they go on. Returns the exit code.
int report_interrupt(Context& context, const std::vector<Json>& jobs);

}  // namespace kml::cli
