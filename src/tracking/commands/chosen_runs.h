#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "kml/tracking/runs/tracked_run.h"

namespace kml::cli {

/// Which runs a command shows, and in what order.
struct RunFilter {
  std::string where;  ///< a condition; see Expression
  std::string sort;   ///< "NAME" or "NAME:desc"; by time if it is empty
  std::optional<long long> limit;
};

inline constexpr size_t kAllRuns = std::numeric_limits<size_t>::max();

/// Adds --where and --sort.
void add_run_filter(Command& command, RunFilter& filter, const std::string& details_of_sort);

/// The newest runs that meet the condition, the oldest of them first; or the first ones of the order. Throws
/// usage Error if no run has a name in the condition or the order.
std::vector<tracking::TrackedRun> chosen_runs(Context& context, const RunFilter& filter,
                                              size_t default_limit = kAllRuns);

/// The runs of these names, in this order; see run_named().
std::vector<tracking::TrackedRun> named_runs(Context& context, const std::vector<std::string>& names);

/// The named runs, or those of the filter if there are no names. Throws usage Error if both are given.
std::vector<tracking::TrackedRun> named_or_chosen_runs(Context& context,
                                                       const std::vector<std::string>& names,
                                                       const RunFilter& filter, size_t default_limit);

}  // namespace kml::cli
