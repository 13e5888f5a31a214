#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "job/logs/line_filter.h"
#include "job/tables/log_printer.h"
#include "kml/job/logs/logs.h"

namespace kml::cli {

struct FollowOptions {
  job::LogSelection selection = {};
  bool timestamps = false;
  std::string save = {};  ///< the folder of a LogSpool that gets a copy; empty for no copy
  bool propagate_exit = false;
  bool metrics = false;               ///< show a table of metrics instead of the lines
  bool first_error = false;           ///< show which pod of each job died first, instead of the lines
  job::LineFilter::Rules rules = {};  ///< rules for the printed lines only; a copy always has all lines
  std::string rank_marks =
      "torchrun --tee 3";  ///< the launcher that puts the rank before each line of the jobs
  ui::LogPrinter::Format format = ui::LogPrinter::Format::text;
  std::vector<std::string> highlight = {};
  bool live = false;                     ///< show lines before they are complete
  bool attach = false;                   ///< attach to the output, for a terminal; see LogSelection
  std::vector<std::string> notify = {};  ///< values of --notify
};

/// Whether the pod's name must be printed before each line, because the job has several pods at once or one
/// after another.
bool has_several_pods(const Json& job);

/// Prints the logs of the jobs up to now.
void print_logs(Context& context, const FollowOptions& options);

/// Prints the logs of deleted jobs from the copy in `options.save`, or from the copy that kml keeps. Returns
/// false if that copy does not have all jobs.
bool print_saved_logs(Context& context, const std::vector<std::string>& names, const FollowOptions& options);

/// Follows the jobs' logs to their end. Returns 0, or 3 if a job did not succeed. With `propagate_exit`,
/// returns the exit code of the container that died first in the first failed job, if any. Ctrl-C leaves the
/// jobs running, and prints a note that says so, except if the selection has jobs to come.
int follow_jobs(Context& context, const FollowOptions& options);

}  // namespace kml::cli
