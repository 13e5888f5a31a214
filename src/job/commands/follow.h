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
  std::string save = {};  ///< folder of a LogSpool, or empty
  bool propagate_exit = false;
  bool metrics = false;               ///< instead of the lines, show a table of their metrics
  bool first_error = false;           ///< instead of the lines, show which pod of each job died first
  job::LineFilter::Rules rules = {};  ///< apply to the printed lines; a copy is complete
  std::string rank_marks = "torchrun --tee 3";  ///< what puts the rank before each line of the jobs
  ui::LogPrinter::Format format = ui::LogPrinter::Format::text;
  std::vector<std::string> highlight = {};
  bool live = false;                     ///< show lines before they are finished
  bool attach = false;                   ///< for a terminal; see LogSelection
  std::vector<std::string> notify = {};  ///< values of --notify
};

/// Whether lines need the pod's name as a prefix, because the job has several pods, either at once or one
/// after another.
bool has_several_pods(const Json& job);

/// Prints the existing logs of the jobs.
void print_logs(Context& context, const FollowOptions& options);

/// Prints the logs of deleted jobs from the copy in `options.save`, or from kml's own copy. Returns false if
/// the copy does not have all jobs.
bool print_saved_logs(Context& context, const std::vector<std::string>& names, const FollowOptions& options);

/// Follows the jobs' logs to their end. Returns 0, or 3 if a job failed. With `propagate_exit`, returns the
/// exit code of the first container that died in the first failed job, if a container died. Ctrl-C does not
/// affect the jobs and prints a note about this.
int follow_jobs(Context& context, const FollowOptions& options);

}  // namespace kml::cli
