#pragma once

#include <string>

#include "cli/context.h"
#include "kml/job/views/task.h"

namespace kml::cli {

/// Replaces "@" with the user's newest job, such as "pytorchjob/bert". Other names stay unchanged. Throws
/// Error (NotFound) if the user has no job.
std::string resolved_name(Context& context, const std::string& name);

/// Finds the job or task that the user typed: "bert", "pytorchjob/bert", "arr-3", "@".
job::JobOrTask named_job_or_task(Context& context, const std::string& name);

/// For a command that only acts on whole jobs: throws usage Error for a task. `verb` is the command's, such
/// as "suspend".
void refuse_task(const job::JobOrTask& named, const std::string& verb);

}  // namespace kml::cli
