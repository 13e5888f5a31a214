#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"

namespace kml::cli {

/// Which jobs a command is about: by name, by label, or all of the namespace.
struct JobSelection {
  std::vector<std::string> names;
  std::string selector;
  bool all = false;
};

void add_job_selection(Command& command, JobSelection& selection);

/// The jobs, all of them found before anything is done to one. Throws usage Error where nothing was selected;
/// Error where a name is unknown.
std::vector<Json> selected_jobs(Context& context, const JobSelection& selection);

/// A command that does one thing to each selected job and prints the line that `act` returns.
Command command_for_each_job(std::string name, std::string summary,
                             std::function<std::string(Context&, const Json& job)> act);

}  // namespace kml::cli
