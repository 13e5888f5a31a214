#include "cli/chosen_runs.h"

#include <algorithm>

#include "cli/tracked_runs.h"
#include "kml/core/text.h"
#include "kml/pipeline/expression.h"

namespace kml::cli {

namespace {

void refuse_unknown_name(const std::string& name, const std::string& flag,
                         const std::vector<jobs::TrackedRun>& runs) {
  const std::vector<std::string> known = jobs::known_names(runs);
  if (std::find(known.begin(), known.end(), name) != known.end() || name.starts_with("tags.")) return;
  throw usage_error(flag + ": no run has \"" + name + "\"", did_you_mean(name, known),
                    "`kml runs -o json` shows the parameters and metrics of the runs");
}

/// Runs without one of the values do not meet the condition, unless it holds without that value.
void keep_where(std::vector<jobs::TrackedRun>& runs, const std::string& where) {
  if (where.empty()) return;
  const pipeline::Expression condition(where);
  for (const std::string& name : condition.names()) refuse_unknown_name(name, "--where", runs);
  std::erase_if(runs, [&](const jobs::TrackedRun& run) {
    try {
      return !condition.holds([&](const std::string& name) { return jobs::value_of(run, name); });
    } catch (const Error&) {  // a text or nothing where a number is compared
      return true;
    }
  });
}

/// By time, the oldest first, unless `order` is "NAME" or "NAME:desc". Runs without the value come last.
void sort_runs(std::vector<jobs::TrackedRun>& runs, const std::string& order) {
  std::stable_sort(runs.begin(), runs.end(),
                   [](const jobs::TrackedRun& a, const jobs::TrackedRun& b) { return a.time < b.time; });
  if (order.empty()) return;
  const bool is_down = order.ends_with(":desc");
  const std::string name = order.substr(0, order.size() - (is_down ? 5 : 0));
  refuse_unknown_name(name, "--sort", runs);
  std::stable_sort(runs.begin(), runs.end(), [&](const jobs::TrackedRun& a, const jobs::TrackedRun& b) {
    const Json left = jobs::value_of(a, name), right = jobs::value_of(b, name);
    if (left.is_null() || right.is_null()) return !left.is_null() && right.is_null();
    return is_down ? right < left : left < right;
  });
}

/// The newest ones, or the first ones of an order.
void keep_first(std::vector<jobs::TrackedRun>& runs, size_t limit, bool is_ordered) {
  if (runs.size() <= limit) return;
  const auto surplus = static_cast<std::ptrdiff_t>(runs.size() - limit);
  if (is_ordered)
    runs.erase(runs.end() - surplus, runs.end());
  else
    runs.erase(runs.begin(), runs.begin() + surplus);
}

}  // namespace

void add_run_filter(Command& command, RunFilter& filter) {
  command.option("--where", "CONDITION", filter.where,
                 "only runs that meet it: 'lr < 0.01 && accuracy > 0.9'");
  command.option("--sort", "NAME[:desc]", filter.sort, "order by a parameter or metric, smallest first");
}

std::vector<jobs::TrackedRun> chosen_runs(Context& context, const RunFilter& filter, size_t default_limit) {
  const size_t limit = filter.limit ? static_cast<size_t>(*filter.limit) : default_limit;
  const bool needs_all = !filter.where.empty() || !filter.sort.empty();
  std::vector<jobs::TrackedRun> runs = needs_all ? tracked_runs(context) : tracked_runs(context, limit);
  keep_where(runs, filter.where);
  sort_runs(runs, filter.sort);
  keep_first(runs, limit, !filter.sort.empty());
  return runs;
}

std::vector<jobs::TrackedRun> named_runs(Context& context, const std::vector<std::string>& names) {
  const std::vector<jobs::TrackedRun> all = tracked_runs(context);
  std::vector<jobs::TrackedRun> runs;
  for (const std::string& name : names) runs.push_back(run_named(all, name));
  return runs;
}

std::vector<jobs::TrackedRun> named_or_chosen_runs(Context& context, const std::vector<std::string>& names,
                                                   const RunFilter& filter, size_t default_limit) {
  if (names.empty()) return chosen_runs(context, filter, default_limit);
  if (!filter.where.empty() || !filter.sort.empty() || filter.limit)
    throw usage_error("both names and flags that select runs were given", "",
                      "either name the runs, or leave out the names");
  return named_runs(context, names);
}

}  // namespace kml::cli
