#pragma once

#include <string>

#include "cli/context.h"
#include "kml/job/views/task.h"

namespace kml::cli {

/// Replaces "@" with the user's newest job, such as "pytorchjob/bert". Returns other names unchanged. Throws
/// Error (NotFound) if the user has no job.
std::string resolved_name(Context& context, const std::string& name);

/// Finds the job or task that the user typed: "bert", "pytorchjob/bert", "arr-3" or "@".
job::JobOrTask named_job_or_task(Context& context, const std::string& name);

/// For a command that can only act on whole jobs: throws usage Error if the name is a task's. `verb` is the
/// command's verb, such as "suspend".
void refuse_task(const job::JobOrTask& named, const std::string& verb);

}  // namespace kml::cli
