#pragma once

#include <string>

#include "cli/context.h"
#include "kml/jobs/views/task.h"

namespace kml::cli {

/// The name of the user's newest job where "@" was typed, as "pytorchjob/bert"; any other name as it is.
/// Throws Error (NotFound) where the user has none.
std::string resolved_name(Context& context, const std::string& name);

/// The job or task that was typed: "bert", "pytorchjob/bert", "arr-3", "@".
jobs::JobOrTask named_job_or_task(Context& context, const std::string& name);

/// For a command that acts on whole jobs: throws usage Error for a task. `verb` is the command's, "suspend".
void refuse_task(const jobs::JobOrTask& named, const std::string& verb);

}  // namespace kml::cli
