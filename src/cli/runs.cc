#include <algorithm>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "cli/tracked_runs.h"
#include "kml/core/text.h"
#include "kml/pipeline/expression.h"
#include "kml/ui/objects.h"
#include "kml/ui/tracked_runs.h"

namespace kml::cli {

namespace {

struct RunsOptions {
  std::string where, sort, output;
  std::optional<long long> limit;
  bool all = false;
};

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
    } catch (const Error&) {  // compares a number with text, or with a missing value
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

std::vector<jobs::TrackedRun> chosen_runs(Context& context, const RunsOptions& options, size_t limit) {
  const bool needs_all = !options.where.empty() || !options.sort.empty();
  std::vector<jobs::TrackedRun> runs = needs_all ? tracked_runs(context) : tracked_runs(context, limit);
  keep_where(runs, options.where);
  sort_runs(runs, options.sort);
  keep_first(runs, limit, !options.sort.empty());
  return runs;
}

int run_runs(Context& context, const RunsOptions& options) {
  constexpr long long kDefaultLimit = 50;
  const auto runs = chosen_runs(context, options, static_cast<size_t>(options.limit.value_or(kDefaultLimit)));
  if (!options.output.empty()) {
    Json items = Json::array();
    for (const jobs::TrackedRun& run : runs) items.push_back(ui::to_json(run));
    ui::print_value(context.streams(), items, options.output);
  } else if (runs.empty()) {
    context.note(options.where.empty() ? "no runs yet" : "no matching runs");
  } else {
    ui::print_tracked_runs(context.streams(), runs, system_clock().now());
  }
  return 0;
}

int run_export(Context& context, const RunsOptions& options) {
  constexpr size_t kAll = 100'000'000;
  const auto runs = chosen_runs(context, options, options.limit ? static_cast<size_t>(*options.limit) : kAll);
  if (options.output == "json")
    for (const jobs::TrackedRun& run : runs) context.streams().out << json_text(ui::to_json(run)) << "\n";
  else
    ui::print_runs_csv(context.streams(), runs);
  return 0;
}

void add_choice_of_runs(Command& command, RunsOptions& options) {
  command.option("--where", "CONDITION", options.where,
                 "only runs that meet it: 'lr < 0.01 && accuracy > 0.9'");
  command.option("--sort", "NAME[:desc]", options.sort, "order by a parameter or metric, smallest first");
}

Command runs_export_command() {
  auto options = std::make_shared<RunsOptions>();
  Command command{"export", "Print runs with all parameters and metrics as CSV or JSON lines"};
  command.examples = R"(# All runs as a table for pandas or R
kml runs export >runs.csv
# Those that succeeded, as lines of JSON
kml runs export --where 'state == "Succeeded"' -o json)";
  add_choice_of_runs(command, *options);
  command.option("--limit", "N", options->limit, "at most N runs");
  command.choice("-o,--output", {"csv", "json"}, options->output, "format: csv or json");
  command.run = [options](Context& context) { return run_export(context, *options); };
  return command;
}

}  // namespace

Command runs_command() {
  auto options = std::make_shared<RunsOptions>();
  Command command{"runs", "List and compare runs: their parameters, metrics, code and outcome"};
  command.description =
      R"(Runs are submits (of this machine), sweeps and pipelines. They stay in the list when their jobs are gone. A submit's
parameters are the flags of its command (--lr=0.1, --lr 0.1, lr=0.1) and its variables (env.LR); a sweep has the parameters of
its best trial. Metrics are read from the log when a job ends (wait, submit --wait or --follow), or later while the log exists.

--where takes names of parameters and metrics, "state", "kind", "name", "user" and tags ("tags.T"). A metric has its last value;
"loss.min" and "loss.max" are the extremes. `kml history` lists submits with their commits, `kml rerun` submits one again.)";
  command.examples = R"(# The ten most accurate runs with a small learning rate
kml runs --where 'lr < 0.01' --sort accuracy:desc --limit 10
# How two runs differ
kml runs compare bert bert2)";
  add_choice_of_runs(command, *options);
  command.option("--limit", "N", options->limit, "at most N runs: the newest, or the first of --sort (50)");
  add_output_format(command, {"json", "yaml"}, options->output, "print everything that is known");
  command.run = [options](Context& context) { return run_runs(context, *options); };
  for (Command (*make)() : {runs_compare_command, runs_tag_command, runs_note_command, runs_export_command})
    command.subcommands.push_back(make());
  return command;
}

}  // namespace kml::cli
