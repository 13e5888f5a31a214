#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/jobs/logs/line_filter.h"
#include "kml/jobs/logs/logs.h"
#include "kml/ui/log_printer.h"

namespace kml::cli {

struct FollowOptions {
  jobs::LogSelection selection = {};
  bool timestamps = false;
  std::string save = {};  ///< folder of a LogSpool; may be empty
  bool propagate_exit = false;
  bool metrics = false;                ///< instead of the lines: a table of the numbers in them
  bool first_error = false;            ///< instead of the lines: which pod of each job died first
  jobs::LineFilter::Rules rules = {};  ///< of what is printed; a copy is complete
  ui::LogPrinter::Format format = ui::LogPrinter::Format::text;
  std::vector<std::string> highlight = {};
  bool live = false;    ///< lines are seen before they are finished
  bool attach = false;  ///< see LogSelection; for a terminal
};

/// Whether lines need a prefix with the pod's name: there are several pods, at once or one after another.
bool has_several_pods(const Json& job);

/// Prints what the jobs have written so far.
void print_logs(Context& context, const FollowOptions& options);

/// Prints the logs of deleted jobs from a copy: the one in `options.save`, or kml's own. False if the copy
/// lacks one of the jobs.
bool print_saved_logs(Context& context, const std::vector<std::string>& names, const FollowOptions& options);

/// Follows the jobs' logs to their end. Returns 0, or 3 if a job failed. With `propagate_exit`, returns the
/// exit code of the first container that died in the first failed job, if a container died. Ctrl-C does not
/// affect the jobs and prints a note about this.
int follow_jobs(Context& context, const FollowOptions& options);

}  // namespace kml::cli
