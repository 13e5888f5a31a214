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

/// Which jobs a command acts on: jobs given by name, jobs that meet conditions, or all jobs in the namespace.
struct JobSelection {
  std::vector<std::string> names;
  JobFilter filter;
  bool all = false;
  std::string flags =
      "--state, --mine, -l LABELS or --all";  ///< the command's flags, for the error if no job was selected
};

void add_job_selection(Command& command, JobSelection& selection);

/// Finds all selected jobs and tasks before the command acts on any. Throws usage Error if neither names nor
/// conditions are given; throws Error if a name is unknown.
std::vector<job::JobOrTask> selected_jobs_and_tasks(Context& context, const JobSelection& selection);
/// Like selected_jobs_and_tasks(), but also throws usage Error if a name is a task's. `verb` is the command's
/// verb, such as "wait".
std::vector<Json> selected_jobs(Context& context, const JobSelection& selection, const std::string& verb);

/// The action of a command on each selected job.
struct JobAction {
  /// Acts on the whole job. Returns the line to print.
  std::function<std::string(Context&, const Json& job)> act;
  /// Whether the action would change the job. `state` was read without the job's pods. A job that would not
  /// change is skipped unless the user named it.
  std::function<bool(const Json& job, job::State state)> applies;
  /// Whether --all must always be confirmed, however few jobs there are, because the action cannot be undone.
  bool asks_for_all = false;
  /// Called once with all jobs (but not tasks), before the first action.
  std::function<void(Context&, const std::vector<Json>& jobs)> prepare = {};
  /// Called once with all jobs (but not tasks), after the last action.
  std::function<void(Context&, const std::vector<Json>& jobs)> finish = {};
  /// Acts on a single task; empty if the command does not act on tasks.
  std::function<std::string(Context&, const job::JobOrTask& task)> act_on_task = {};
};

/// A command that performs one action on each selected job. Asks for confirmation if it would act on more
/// than ten jobs.
Command command_for_each_job(std::string name, std::string summary, JobAction action);

}  // namespace kml::cli
