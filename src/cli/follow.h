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

/// At once or one after another; else lines need no pod's name before them.
bool has_several_pods(const Json& job);

/// Prints what the jobs have written so far.
void print_logs(Context& context, const FollowOptions& options);

/// Prints what a copy holds of jobs that are gone: the one in `options.save`, or kml's own. False if it
/// has none of one of them.
bool print_saved_logs(Context& context, const std::vector<std::string>& names, const FollowOptions& options);

/// Follows the jobs' logs to their end. 0, or 3 where one failed; with `propagate_exit` the exit code of the
/// container that died first, in the first of the jobs that failed, where a container did. Ctrl-C leaves the
/// jobs alone and says so.
int follow_jobs(Context& context, const FollowOptions& options);

}  // namespace kml::cli
