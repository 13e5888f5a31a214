#include "tracking/commands/chosen_runs.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "kml/base/error.h"
#include "kml/base/flag_errors.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/base/value_text.h"
#include "kml/job/records/records.h"
#include "tracking/commands/run_condition.h"
#include "tracking/commands/tracked_runs.h"

namespace kml::cli {

namespace {

void refuse_unknown_name(const std::string& name, const std::string& flag,
                         const std::vector<tracking::TrackedRun>& runs) {
  const std::vector<std::string> known = tracking::known_names(runs);
  if (tracking::is_known_name(name, known)) return;
  throw usage_error(
      flag + ": no run has \"" + name + "\"", "",
      suggestion(name, known, "`kml runs -o json` shows the parameters and metrics of the runs"));
}

/// Throws usage Error if `name` is only a part of a name that needs quotes: "val" in 'val/acc > 0.9'.
void refuse_part_of_name(const std::string& name, const std::string& where,
                         const std::vector<tracking::TrackedRun>& runs) {
  for (const std::string& known : tracking::known_names(runs)) {
    const bool is_part = known.size() > name.size() && contains(known, name) && contains(where, known);
    const std::string quoted = "\"" + known + "\"";
    if (!is_part || contains(where, quoted) || contains(where, "'" + known + "'")) continue;
    throw usage_error("--where: no run has \"" + name + "\"", "",
                      "put the name " + known + " in quotes: '" + quoted + " …'");
  }
}

/// Throws usage Error for `loss == nan`, which is true for no run.
void refuse_comparison_with_nan(const std::string& name, const std::vector<tracking::TrackedRun>& runs) {
  if (lower(name) != "nan" || tracking::is_known_name(name, tracking::known_names(runs))) return;
  throw usage_error("--where: a comparison with NaN is never true", "",
                    "to select runs whose loss is NaN, write 'isnan(loss)'");
}

bool is_nan(const Json& value) {
  return value.is_number_float() && std::isnan(value.get<double>());
}

/// Whether a comparison with the value is neither true nor false. A condition with "null" can ask whether a
/// run has no value.
bool is_open_value(const Json& value, const std::string& condition) {
  return value.is_null() ? !contains(condition, "null") : is_nan(value);
}

bool is_infinity(std::string_view name) {
  return name == "inf" || name == "Infinity";
}

/// The word in the spelling that a text in the condition uses: "succeeded" for Succeeded.
std::string as_spelled_in(const std::string& condition, const std::string& word) {
  const std::string all = lower(condition), wanted = lower(word);
  for (const char quote : {'"', '\''})
    if (const size_t at = all.find(quote + wanted + quote); at != std::string::npos)
      return condition.substr(at + 1, word.size());
  return word;
}

/// The value that a name in a condition stands for. For kml's words for states and kinds, upper and lower
/// case are treated as equal.
Json value_in(const tracking::TrackedRun& run, const std::string& name, const std::string& condition) {
  const Json value = tracking::value_of(run, name);
  if (value.is_null() && is_infinity(name)) return std::numeric_limits<double>::infinity();
  return name == "state" || name == "kind" ? Json(as_spelled_in(condition, value.get<std::string>())) : value;
}

/// A condition, and its results for the runs so far.
class RunTest {
 public:
  explicit RunTest(const std::string& where) : condition_(where) {
    for (const std::string& name : condition_.expression().names()) unseen_.insert(condition_.meant(name));
    std::erase_if(unseen_, is_infinity);
  }

  /// Whether the run meets the condition. If the run lacks a value, or has NaN for it, the condition must be
  /// true whatever that value is.
  bool meets(const tracking::TrackedRun& run) {
    std::erase_if(unseen_, [&](const std::string& name) { return !tracking::value_of(run, name).is_null(); });
    const Expression& expression = condition_.expression();
    const auto value_of = [&](const std::string& name) {
      return value_in(run, condition_.meant(name), expression.text());
    };
    const auto is_open = [&](const std::string& name) {
      return is_open_value(value_of(name), expression.text());
    };
    try {
      const std::optional<bool> holds = expression.holds_already(value_of, is_open);
      has_answer_ = has_answer_ || holds;
      return holds.value_or(false);
    } catch (const Error& error) {  // a text, or no value, is compared with a number
      if (!fault_) fault_ = error;
      return false;
    }
  }

  /// The names that no run had.
  const std::set<std::string>& unseen() const { return unseen_; }

  /// Throws Error if the condition makes no sense for any run.
  void refuse_senseless() const {
    if (has_answer_ || !fault_) return;
    Error error = *fault_;
    error.message = "--where: " + condition_.as_typed(error.message);
    error.why = condition_.as_typed(error.why);
    throw error;
  }

 private:
  RunCondition condition_;
  std::set<std::string> unseen_;
  std::optional<Error> fault_;
  bool has_answer_ = false;
};

/// Whether the run or one of its nested runs meets the condition.
bool any_meets(RunTest& test, const tracking::TrackedRun& run) {
  const auto meets = [&](const tracking::TrackedRun& nested) { return test.meets(nested); };
  return test.meets(run) || std::any_of(run.nested.begin(), run.nested.end(), meets);
}

/// The runs that meet the condition. Of all other runs, the nested runs that meet it.
std::vector<tracking::TrackedRun> those_that_meet(RunTest& test, std::vector<tracking::TrackedRun> runs) {
  std::vector<tracking::TrackedRun> found;
  for (tracking::TrackedRun& run : runs) {
    if (test.meets(run)) {
      found.push_back(std::move(run));
      continue;
    }
    for (tracking::TrackedRun& nested : run.nested)
      if (test.meets(nested)) found.push_back(std::move(nested));
  }
  return found;
}

/// The runs that meet the condition. For most runs, parts of the record that can be read quickly are enough
/// to evaluate it.
std::vector<tracking::TrackedRun> runs_where(Context& context, const std::string& where) {
  RunTest test(where);
  const bool is_quick = std::all_of(test.unseen().begin(), test.unseen().end(), tracking::is_in_outline);
  std::vector<tracking::TrackedRun> runs =
      is_quick ? tracked_runs_if(
                     context, [&](const auto& outline, std::string_view) { return any_meets(test, outline); })
               : tracked_runs(context);
  runs = those_that_meet(test, std::move(runs));
  if (runs.empty()) test.refuse_senseless();
  if (test.unseen().empty()) return runs;
  const std::vector<tracking::TrackedRun> all = recorded_runs(context);
  for (const std::string& name : test.unseen()) {
    refuse_comparison_with_nan(name, all);
    refuse_part_of_name(name, where, all);
    refuse_unknown_name(name, "--where", all);
  }
  return runs;
}

/// Whether the text of a list of objects contains a key "name" with one of these names as its value.
bool has_name(std::string_view objects, const std::set<std::string, std::less<>>& names) {
  constexpr std::string_view kMark = "\"name\":\"";
  for (size_t at = objects.find(kMark); at != std::string_view::npos; at = objects.find(kMark, at)) {
    at += kMark.size();
    if (names.contains(objects.substr(at, objects.find('"', at) - at))) return true;
  }
  return false;
}

/// The value for a sort: a parameter's text is sorted as a number if it is one.
Json sorted_value(const tracking::TrackedRun& run, const std::string& name) {
  const Json value = tracking::value_of(run, name);
  return value.is_string() ? value_of_text(value.get_ref<const std::string&>()) : value;
}

/// Infinite values, NaN and missing values come last, whatever the order is.
int rank_of(const Json& value) {
  if (value.is_null()) return 3;
  if (is_nan(value)) return 2;
  return value.is_number_float() && std::isinf(value.get<double>()) ? 1 : 0;
}

/// Like refuse_unknown_name(), but a run that the other flags leave out may have the name too.
void refuse_name_of_no_run(Context& context, const std::string& name, const std::string& flag,
                           const std::vector<tracking::TrackedRun>& runs) {
  if (!tracking::is_known_name(name, tracking::known_names(runs)))
    refuse_unknown_name(name, flag, recorded_runs(context));
}

/// Sorts the runs. If `order` is "NAME" or "NAME:desc", sorts by that value, otherwise by time, oldest first.
void sort_runs(Context& context, std::vector<tracking::TrackedRun>& runs, const std::string& order) {
  std::stable_sort(
      runs.begin(), runs.end(),
      [](const tracking::TrackedRun& a, const tracking::TrackedRun& b) { return a.time < b.time; });
  if (order.empty() || runs.empty()) return;
  const bool is_down = order.ends_with(":desc");
  const std::string name = order.substr(0, order.size() - (is_down ? 5 : 0));
  refuse_name_of_no_run(context, name, "--sort", runs);
  std::stable_sort(runs.begin(), runs.end(),
                   [&](const tracking::TrackedRun& a, const tracking::TrackedRun& b) {
                     const Json left = sorted_value(a, name), right = sorted_value(b, name);
                     if (rank_of(left) != rank_of(right)) return rank_of(left) < rank_of(right);
                     return is_down ? right < left : left < right;
                   });
}

/// Keeps the newest runs or, if the runs are sorted (`is_ordered`), the first ones.
void keep_first(std::vector<tracking::TrackedRun>& runs, size_t limit, bool is_ordered) {
  if (runs.size() <= limit) return;
  const auto surplus = static_cast<std::ptrdiff_t>(runs.size() - limit);
  if (is_ordered)
    runs.erase(runs.end() - surplus, runs.end());
  else
    runs.erase(runs.begin(), runs.begin() + surplus);
}

}  // namespace

void add_run_filter(Command& command, RunFilter& filter, const std::string& details_of_sort) {
  command
      .option("--where", "CONDITION", filter.where,
              "only runs that meet this condition: 'lr < 0.01 && accuracy > 0.9'")
      .details(
          "Select only runs that meet this condition, with the operators of `when` in pipelines: && || ! < "
          "<= > >= == != + - * /. Names are parameters, metrics, \"state\", \"kind\", \"name\", \"user\" and "
          "\"tags.T\"; inf is infinity. If lr is a metric and a parameter, lr means the metric, and "
          "parameters.lr the parameter. A name with characters other than letters, digits, \"_\", \".\" and "
          "\"-\" must be in quotes: '\"accuracy/top1\" > 0.9'. If a parameter is compared with a "
          "quoted text, its value is used exactly as it was written: 'py == \"3.10\"'. A comparison with "
          "NaN, or with a value that a run does not have, is never true, not even with !=. 'isnan(loss)' "
          "selects runs in which the value is NaN, and 'loss == null' runs without the value.");
  command.option("--sort", "NAME[:desc]", filter.sort, "sort by a parameter or metric, smallest first")
      .details(details_of_sort);
}

std::vector<tracking::TrackedRun> chosen_runs(Context& context, const RunFilter& filter,
                                              size_t default_limit) {
  const size_t limit = filter.limit ? static_cast<size_t>(*filter.limit) : default_limit;
  std::vector<tracking::TrackedRun> runs = !filter.where.empty()  ? runs_where(context, filter.where)
                                           : !filter.sort.empty() ? tracked_runs(context)
                                                                  : tracked_runs(context, limit);
  sort_runs(context, runs, filter.sort);
  keep_first(runs, limit, !filter.sort.empty());
  return runs;
}

std::vector<tracking::TrackedRun> named_runs(Context& context, const std::vector<std::string>& names) {
  std::set<std::string, std::less<>> wanted(names.begin(), names.end());
  // the part before "/" of a nested run's name
  for (const std::string& name : names) wanted.insert(name.substr(0, name.find('/')));
  const auto may_be_wanted = [&](const tracking::TrackedRun& outline, std::string_view objects) {
    const auto begins_id = [&](const std::string& name) { return job::is_run_id(name, outline.id); };
    return has_name(objects, wanted) || std::any_of(names.begin(), names.end(), begins_id);
  };
  const auto pick = [&](const std::vector<tracking::TrackedRun>& all) {
    std::vector<tracking::TrackedRun> runs;
    for (const std::string& name : names) runs.push_back(run_named(all, name));
    return runs;
  };
  try {
    return pick(tracked_runs_if(context, may_be_wanted));
  } catch (const Error&) {
    return pick(recorded_runs(context));  // throws Error with the name of a similar run
  }
}

std::vector<tracking::TrackedRun> named_or_chosen_runs(Context& context,
                                                       const std::vector<std::string>& names,
                                                       const RunFilter& filter, size_t default_limit) {
  if (names.empty()) return chosen_runs(context, filter, default_limit);
  if (!filter.where.empty() || !filter.sort.empty() || filter.limit)
    throw not_together("RUN", "a flag that selects runs", "",
                       "give either names of runs or flags that select runs");
  return named_runs(context, names);
}

}  // namespace kml::cli
