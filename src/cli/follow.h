#pragma once

#include <vector>

#include "cli/context.h"
#include "kml/jobs/tail.h"

namespace kml::cli {

struct FollowOptions {
  jobs::TailOptions tail;
  bool timestamps = false;
};

/// Prints what the jobs have written so far.
void print_logs(Context& context, const std::vector<Json>& jobs, const FollowOptions& options);

/// Follows the jobs' logs to their end; 0, or 3 where one failed. Ctrl-C leaves the jobs alone and says so.
int follow_jobs(Context& context, const std::vector<Json>& jobs, const FollowOptions& options);

}  // namespace kml::cli
