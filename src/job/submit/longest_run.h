#pragma once

#include <optional>
#include <string>

#include "kml/base/json.h"
#include "kml/job/submit/plan_file.h"

namespace kml::job {

/// How long all starts of a job may take together.
struct LongestRun {
  std::optional<double> hours;  ///< with grace periods; empty if there is no limit
  std::optional<NoLimit> none;  ///< why there is no limit, if it is not just that no time limit was given
  /// whether `hours` is also right if Kueue stops and starts the job, which does not name a queue
  bool spans_queues = false;
};

/// The time limit of a job starts again each time that the job is started. Counts the restarts that its
/// manifest allows, such as maxRestarts of a JobSet. A manifest may also allow any number of them.
LongestRun longest_run(const Json& job);

}  // namespace kml::job
