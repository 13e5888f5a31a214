#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "kml/core/clock.h"
#include "kml/jobs/views/job_view.h"

namespace kml::cli {

/// Conditions of jobs, an order, and how many of them. The commands that show jobs and those that act on them
/// have the same.
struct JobFilter {
  std::string selector = {}, user = {}, sort = {};
  bool mine = false;
  std::vector<jobs::State> states = {};
  std::optional<std::chrono::seconds> since = {};
  std::optional<long long> limit = {};

  /// Whether it says which jobs are meant, and not only how many of them and in which order.
  bool is_set() const { return !selector.empty() || !user.empty() || mine || !states.empty() || since; }
  /// Whether more has to be known of a job than its labels and its place in the list.
  bool needs_views() const {
    return !user.empty() || mine || !states.empty() || since || !sort.empty() || limit;
  }
  /// All but the labels, which a server selects by.
  bool keeps(const jobs::JobView& job, Time now) const;
  /// Whether a job comes before another one by --sort; empty without it.
  std::function<bool(const jobs::JobView&, const jobs::JobView&)> order(Time now) const;

  /// Takes away what does not meet the conditions, sorts, and keeps the first --limit of --sort's order;
  /// without --sort the first, or where `newest_last` the last, of the order that they have. `view` tells an
  /// item's JobView.
  template <typename Item, typename View>
  void apply(std::vector<Item>& items, bool newest_last, Time now, const View& view) const {
    std::erase_if(items, [&](const Item& item) { return !keeps(view(item), now); });
    const auto before = order(now);
    if (before)
      std::stable_sort(items.begin(), items.end(),
                       [&](const Item& a, const Item& b) { return before(view(a), view(b)); });
    const auto most = static_cast<size_t>(limit.value_or(static_cast<long long>(items.size())));
    if (items.size() <= most) return;
    const auto rest = static_cast<std::ptrdiff_t>(items.size() - most);
    newest_last && !before ? items.erase(items.begin(), items.begin() + rest)
                           : items.erase(items.end() - rest, items.end());
  }
};

/// Declares -l, --state, --mine, --user, --since, --sort and --limit.
void add_job_filter(Command& command, JobFilter& filter,
                    std::string limit_help = "at most N jobs: the newest, or the first of --sort");

}  // namespace kml::cli
