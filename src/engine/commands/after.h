#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "engine/commands/cluster_engine.h"
#include "kml/job/submit/submit.h"

namespace kml::cli {

/// `--after JOB[:ok|any|failed]`, and the flags for waiting in a cluster.
struct AfterFlags {
  std::vector<std::string> jobs;
  InClusterFlags waiter;  ///< needs no volume
};

/// Lets the plan's jobs start only after those of `flags`. The embedded server starts them then. A cluster
/// cannot, so this function waits before anything is sent, or with --in-cluster prepares the jobs for
/// start_waiters(). Throws Error if a job does not exist, or if its end is not the required one.
void come_after(Context& context, job::SubmitPlan& plan, const AfterFlags& flags);

/// Creates a small pod in the cluster for each job that waits for others; the pod starts the job. If that
/// fails, the job is deleted, because it would wait forever.
void start_waiters(Context& context, const std::vector<Json>& made, const AfterFlags& flags);

}  // namespace kml::cli
