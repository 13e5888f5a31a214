#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "kml/tracking/runs/tracked_run.h"

namespace kml::cli {

/// Which runs a command shows, and in which order.
struct RunFilter {
  std::string where;  ///< a condition; see Expression
  std::string sort;   ///< "NAME" or "NAME:desc"; if empty, runs are sorted by time
  std::optional<long long> limit;
};

inline constexpr size_t kAllRuns = std::numeric_limits<size_t>::max();

/// Declares --where and --sort.
void add_run_filter(Command& command, RunFilter& filter, const std::string& details_of_sort);

/// The newest runs that meet the condition, with the oldest of them first. With --sort, the first runs in
/// that order. Throws usage Error if the condition or --sort names a value, other than a tag, that no run
/// has.
std::vector<tracking::TrackedRun> chosen_runs(Context& context, const RunFilter& filter,
                                              size_t default_limit = kAllRuns);

/// The runs with these names, in this order; see run_named().
std::vector<tracking::TrackedRun> named_runs(Context& context, const std::vector<std::string>& names);

/// The runs with these names; without names, the runs that the filter selects. Throws usage Error if both are
/// given.
std::vector<tracking::TrackedRun> named_or_chosen_runs(Context& context,
                                                       const std::vector<std::string>& names,
                                                       const RunFilter& filter, size_t default_limit);

}  // namespace kml::cli
