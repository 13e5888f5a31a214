#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "cli/job_filter.h"
#include "cli/named_job.h"

namespace kml::cli {

/// Which jobs a command is about: by name, by what they are, or all of the namespace.
struct JobSelection {
  std::vector<std::string> names;
  JobFilter filter;
  bool all = false;
};

void add_job_selection(Command& command, JobSelection& selection);

/// The jobs, all of them found before anything is done to one. Throws usage Error if nothing was selected;
/// Error if a name is unknown, and usage Error if it is a task's: `verb` is the command's, "wait".
std::vector<Json> selected_jobs(Context& context, const JobSelection& selection, const std::string& verb);

/// What a command does to each selected job.
struct JobAction {
  /// Does it to the whole job, and returns the line to be printed.
  std::function<std::string(Context&, const Json& job)> act;
  /// Whether it would change the job. Of jobs that are not named, those that it would not change are passed
  /// over.
  std::function<bool(const Json& job)> applies;
  /// Whether --all is asked about whatever the number of jobs, as what it does cannot be undone.
  bool asks_for_all = false;
  /// Does it to one task; empty if that cannot be done.
  std::function<std::string(Context&, const jobs::JobOrTask& task)> act_on_task = {};
};

/// A command that does one thing to each selected job. It asks before it touches more than ten.
Command command_for_each_job(std::string name, std::string summary, JobAction action);

}  // namespace kml::cli
