#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "kml/base/clock.h"
#include "kml/job/views/job_view.h"

namespace kml::cli {

/// Filters, a sort order and a limit for jobs. For commands that list jobs, or act on several jobs.
struct JobFilter {
  std::string selector = {}, user = {}, sort = {};
  bool mine = false;
  std::vector<job::State> states = {};
  std::optional<std::chrono::seconds> since = {};
  std::optional<long long> limit = {};

  /// Whether the filter has a condition. A limit and an order alone are not conditions.
  bool is_set() const { return !selector.empty() || !user.empty() || mine || !states.empty() || since; }
  /// Whether the filter has more than a label selector, which the server applies, so that it needs JobViews.
  bool needs_views() const {
    return !user.empty() || mine || !states.empty() || since || !sort.empty() || limit;
  }
  /// Checks all conditions except the label selector, which the server applies.
  bool keeps(const job::JobView& job, Time now) const;
  /// The comparison for --sort; empty without --sort.
  std::function<bool(const job::JobView&, const job::JobView&)> order(Time now) const;

  /// Removes the items that do not meet the conditions, then sorts the rest and keeps the first --limit
  /// items. Without --sort, keeps the given order, and keeps the last --limit items if `newest_last`. `view`
  /// returns an item's JobView.
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

/// Declares --mine, --state, -l, --user, --since, --sort and --limit, under the heading "Which jobs".
void add_job_filter(Command& command, JobFilter& filter);

}  // namespace kml::cli
