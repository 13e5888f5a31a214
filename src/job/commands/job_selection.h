#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "job/commands/job_filter.h"
#include "job/commands/named_job.h"
#include "kml/job/views/job_view.h"

namespace kml::cli {

/// The jobs that a command acts on: by name, by conditions, or all in the namespace.
struct JobSelection {
  std::vector<std::string> names;
  JobFilter filter;
  bool all = false;
  std::string flags =
      "--state, --mine, -l LABELS or --all";  ///< of the command, for the error that none is given
};

void add_job_selection(Command& command, JobSelection& selection);

/// Finds all selected jobs before anything is done to one of them. Throws usage Error if nothing is selected
/// or a name is a task's, and Error if a name is unknown. `verb` is the command's, such as "wait".
std::vector<Json> selected_jobs(Context& context, const JobSelection& selection, const std::string& verb);

/// The action of a command on each selected job.
struct JobAction {
  /// Acts on the whole job. Returns the line to print.
  std::function<std::string(Context&, const Json& job)> act;
  /// Whether the action would change the job, whose state was read without its pods. If not, the job is
  /// skipped unless it was named.
  std::function<bool(const Json& job, job::State state)> applies;
  /// Whether --all always asks, whatever the number of jobs, because the action cannot be undone.
  bool asks_for_all = false;
  /// Called once, before the action on the first of these jobs.
  std::function<void(Context&, const std::vector<Json>& jobs)> prepare = {};
  /// Called once, after the action on the last of these jobs.
  std::function<void(Context&, const std::vector<Json>& jobs)> finish = {};
  /// Acts on one task; empty if that is not possible.
  std::function<std::string(Context&, const job::JobOrTask& task)> act_on_task = {};
};

/// A command that performs one action on each selected job. It asks before it acts on more than ten.
Command command_for_each_job(std::string name, std::string summary, JobAction action);

}  // namespace kml::cli
