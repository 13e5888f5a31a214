#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "cli/context.h"
#include "kml/jobs/control/wait.h"
#include "kml/jobs/views/job_view.h"

namespace kml::cli {

/// Exit code by how a job ended: 0 or 3.
int exit_code_of(const jobs::JobView& job);

/// Says how it ended on standard error, and notes it in the run records.
void report_end(Context& context, const Json& job, const jobs::JobView& view);

/// Ctrl-C ended the waiting for these jobs, or for pods of none: says that they go on. Returns the exit code.
int report_interrupt(Context& context, const std::vector<Json>& jobs);

/// Waits until the jobs have reached the goal, and says how each did: 0, or 3 where one failed, was cancelled
/// or can no longer reach it. Throws Error (unreachable) at the timeout.
int wait_for_jobs(Context& context, const std::vector<Json>& jobs,
                  std::optional<std::chrono::seconds> timeout, const jobs::WaitGoal& goal = {});

}  // namespace kml::cli
