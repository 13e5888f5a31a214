#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/job/control/wait.h"
#include "kml/job/views/job_view.h"

namespace kml::cli {

/// The exit code of kml for how the job ended: 0 or 3.
int exit_code_of(const job::JobView& job);

/// How the job ended, in a sentence: "job bert failed after 3h: exit code 1".
std::string end_in_words(const job::JobView& view);

/// Prints how the job ended, or that it can no longer start, to standard error, and adds its end to the run
/// record.
void report_end(Context& context, const Json& job, const job::JobView& view);

/// Called after Ctrl-C has interrupted the wait for these jobs (or for pods, if `jobs` is empty). Prints that
/// the jobs still wait, run or stop. Returns the exit code.
int report_interrupt(Context& context, const std::vector<job::JobView>& jobs);

/// Waits until the jobs have reached the goal, and prints the result of each. Returns 0, or 3 if a job
/// failed, was cancelled or can no longer reach the goal. Throws Error (unreachable) at the timeout. `notify`
/// has the values of --notify.
int wait_for_jobs(Context& context, const std::vector<Json>& jobs,
                  std::optional<std::chrono::seconds> timeout, const job::WaitGoal& goal = {},
                  const std::vector<std::string>& notify = {});

}  // namespace kml::cli
