#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/base/error.h"
#include "kml/job/views/task.h"
#include "kml/kube/client/client.h"

namespace kml::cli {

/// Replaces "@" with the user's newest job other than trials of sweeps, such as "pytorchjob/bert". Returns
/// other names unchanged. Throws Error (NotFound) if the user has no job.
std::string resolved_name(Context& context, const std::string& name);

/// If a job does not exist, but a sweep or a deleted job has its name, adds this to the Error.
void explain_missing(Context& context, const std::string& name, Error& error);

/// Finds the job or task that the user typed: "bert", "pytorchjob/bert", "arr-3" or "@".
job::JobOrTask named_job_or_task(Context& context, const std::string& name);

/// Requests in one round trip the objects that commands read about these jobs: the job, its pods, and the
/// events that `events` selects, if it is given. Only helps for Jobs and PyTorchJobs, the most common kinds.
[[nodiscard]] std::unique_ptr<kube::Client::AskedAhead> ask_ahead_about(
    Context& context, const std::vector<std::string>& names,
    const std::function<kube::ListOptions(const std::string& job)>& events = {});

/// For a command that can only act on whole jobs: throws usage Error if the name is a task's. `verb` is the
/// command's verb, such as "suspend".
void refuse_task(const job::JobOrTask& named, const std::string& verb);

}  // namespace kml::cli
