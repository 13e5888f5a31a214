#pragma once

#include <string>
#include <vector>

#include "cli/cluster_engine.h"
#include "cli/context.h"
#include "kml/jobs/submit/submit.h"

namespace kml::cli {

/// `--after JOB[:ok|any|failed]`, and where a cluster's jobs are waited for.
struct AfterFlags {
  std::vector<std::string> jobs;
  InClusterFlags waiter;  ///< it needs no volume
};

/// The embedded server starts the plan's jobs once those have ended so. A cluster has nothing that waits:
/// this waits here before anything is sent, or with --in-cluster prepares the jobs for start_waiters().
/// Throws Error if there is no such job, or where it has ended, or ends, in another way.
void come_after(Context& context, jobs::SubmitPlan& plan, const AfterFlags& flags);

/// Gives each of these jobs that waits for others a small pod in the cluster, which starts it. A job for
/// which this fails is removed: it would wait forever.
void start_waiters(Context& context, const std::vector<Json>& made, const AfterFlags& flags);

}  // namespace kml::cli
