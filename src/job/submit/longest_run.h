#pragma once

#include <optional>
#include <string>

#include "kml/base/json.h"
#include "kml/job/submit/plan_file.h"

namespace kml::job {

/// How long all starts of a job may take together.
struct LongestRun {
  std::optional<double> hours;  ///< with grace periods; empty if there is no limit
  std::optional<NoLimit> none;  ///< why there is no limit; empty if only a time limit is missing
  /// whether `hours` also holds if the job names no queue, and Kueue puts it into one
  bool spans_queues = false;
};

/// Adds up the time limits of all starts, because each start has the whole time limit. The manifest says how
/// often the job may start again, for example by maxRestarts of a JobSet. There is no limit if the manifest
/// allows any number of restarts.
LongestRun longest_run(const Json& job);

}  // namespace kml::job
