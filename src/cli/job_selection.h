#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "cli/job_filter.h"

namespace kml::cli {

/// Which jobs a command is about: by name, by what they are, or all of the namespace.
struct JobSelection {
  std::vector<std::string> names;
  JobFilter filter;
  bool all = false;
};

void add_job_selection(Command& command, JobSelection& selection);

/// The jobs, all of them found before anything is done to one. Throws usage Error where nothing was selected;
/// Error where a name is unknown.
std::vector<Json> selected_jobs(Context& context, const JobSelection& selection);

/// What a command does to each selected job.
struct JobAction {
  /// Does it, and returns the line to be printed.
  std::function<std::string(Context&, const Json& job)> act;
  /// Whether it would change the job. Of jobs that are not named, those that it would not change are passed
  /// over.
  std::function<bool(const Json& job)> applies;
  /// Whether --all is asked about whatever the number of jobs, as what it does cannot be undone.
  bool asks_for_all = false;
};

/// A command that does one thing to each selected job. It asks before it touches more than ten.
Command command_for_each_job(std::string name, std::string summary, JobAction action);

}  // namespace kml::cli
