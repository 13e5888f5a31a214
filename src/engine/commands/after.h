#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "engine/commands/cluster_engine.h"
#include "kml/job/submit/submit.h"

namespace kml::cli {

/// `--after JOB[:ok|any|failed]`, and flags for the program that waits in the cluster.
struct AfterFlags {
  std::vector<std::string> jobs;
  InClusterFlags waiter;  ///< for the waiting program, which needs no volume
};

/// Makes the plan's jobs wait for the jobs in `flags`. The embedded server starts them at the right time. A
/// cluster cannot, so this function waits before anything is sent or, with --in-cluster, prepares the jobs
/// for start_waiters(). Throws Error if an awaited job does not exist, or has ended in a different way than
/// required.
void come_after(Context& context, job::SubmitPlan& plan, const AfterFlags& flags);

/// Creates a small pod in the cluster for each waiting job; the pod starts the job. If that fails, deletes
/// the jobs without a pod, because they would wait forever.
void start_waiters(Context& context, const std::vector<Json>& made, const AfterFlags& flags);

}  // namespace kml::cli
