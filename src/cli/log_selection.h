#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/follow.h"

namespace kml::cli {

/// What kml logs is asked for, as it was written.
struct LogSelectionFlags {
  std::vector<std::string> names;
  std::string selector, sweep, pods, pod_selector, container;
  std::optional<long long> rank, attempt, tail;
  bool all_ranks = false, previous = false;
  std::optional<std::chrono::seconds> since;
  std::string since_time, until;
  std::vector<std::string> include, exclude;
};

void add_log_selection(Command& command, LogSelectionFlags& flags);

/// All but the jobs, in `options.selection` and `options.rules`. Throws usage Error.
void read_log_selection(Context& context, const LogSelectionFlags& flags, FollowOptions& options);

/// Label selector of the jobs that are meant; empty where they are named.
std::string job_selector(const LogSelectionFlags& flags);

/// Whether any pod of the namespace is meant that the flags select, of whatever job.
bool selects_pods_only(const LogSelectionFlags& flags);

/// Completes the selection once the jobs are there: which pod a rank is in is theirs to say.
void select_rank(const LogSelectionFlags& flags, FollowOptions& options);

/// Where the one name is that of an index, "lr1-8", selects its pods in its job; else false.
bool select_index(Context& context, const LogSelectionFlags& flags, FollowOptions& options);

}  // namespace kml::cli
