#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "kml/base/error.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/ui/objects.h"
#include "tracking/commands/chosen_runs.h"
#include "tracking/commands/tracked_runs.h"
#include "tracking/runs/gpu_hours.h"
#include "tracking/tables/tracked_runs.h"

namespace kml::cli {

namespace {

struct RunsOptions {
  RunFilter filter;
  std::string output, columns;
};

std::vector<std::string> names_for_columns(const std::vector<tracking::TrackedRun>& runs) {
  std::vector<std::string> names = tracking::known_names(runs);
  names.insert(names.end(), ui::column_words().begin(), ui::column_words().end());
  return names;
}

/// The names in --columns. Throws usage Error for a name, other than a tag, that no run has, not even one
/// that other flags leave out.
std::vector<std::string> columns_of(Context& context, const std::string& text,
                                    const std::vector<tracking::TrackedRun>& runs) {
  std::vector<std::string> columns, known = names_for_columns(runs);
  for (const std::string& word : split(text, ',')) {
    const std::string name(trim(word));
    if (name.empty() || name == "name") continue;  // the name is always the first column
    if (!tracking::is_known_name(name, known)) known = names_for_columns(recorded_runs(context));
    if (!tracking::is_known_name(name, known))
      throw usage_error(
          "--columns: no run has \"" + name + "\"", "",
          suggestion(name, known, "`kml runs -o json` shows the parameters and metrics of the runs"));
    columns.push_back(name);
  }
  return columns;
}

int run_runs(Context& context, const RunsOptions& options) {
  constexpr size_t kDefaultLimit = 50;
  auto runs = chosen_runs(context, options.filter, kDefaultLimit);
  if (!options.output.empty()) {
    tracking::add_gpu_hours(runs);
    Json items = Json::array();
    for (const tracking::TrackedRun& run : runs) items.push_back(ui::to_json(run));
    ui::print_value(context.streams(), items, options.output);
  } else if (runs.empty()) {
    context.note(options.filter.where.empty() ? "no runs yet" : "no matching runs");
  } else {
    ui::print_tracked_runs(context.streams(), runs, system_clock().now(),
                           columns_of(context, options.columns, runs));
  }
  return 0;
}

/// The runs; each one is followed by the runs nested in it.
std::vector<tracking::TrackedRun> with_nested(const std::vector<tracking::TrackedRun>& runs) {
  std::vector<tracking::TrackedRun> all;
  for (const tracking::TrackedRun& run : runs) {
    all.push_back(run);
    all.insert(all.end(), run.nested.begin(), run.nested.end());
  }
  return all;
}

int run_export(Context& context, const RunsOptions& options) {
  auto runs = chosen_runs(context, options.filter);
  tracking::add_gpu_hours(runs);
  if (options.output == "json")
    for (const tracking::TrackedRun& run : runs) context.streams().out << json_text(ui::to_json(run)) << "\n";
  else
    ui::print_runs_csv(context.streams(), with_nested(runs));
  return 0;
}

Command runs_export_command() {
  auto options = std::make_shared<RunsOptions>();
  Command command{"export", "Print runs with all parameters and metrics as CSV or JSON lines"};
  command.examples = R"(# All runs as a table for pandas or R
kml runs export >runs.csv
# The runs that succeeded, as lines of JSON
kml runs export --where 'state == "Succeeded"' -o json)";
  add_run_filter(command, options->filter,
                 "Sort by a parameter or metric, the smallest first, or with \":desc\" the largest first.");
  command.option("--limit", "N", options->filter.limit, "at most N runs", 1)
      .details("Print at most N runs. By default, all.");
  command.choice("-o,--output", {"csv", "json"}, options->output, "format: csv or json")
      .details("Print CSV with a column for each parameter, metric and tag, or a JSON object for each run.");
  command.run = [options](Context& context) { return run_export(context, *options); };
  return command;
}

}  // namespace

Command runs_command() {
  auto options = std::make_shared<RunsOptions>();
  Command command{"runs", "List runs, and compare their parameters, metrics, code and outcomes"};
  command.description =
      R"(Runs are the submitted jobs, sweeps and pipelines on this machine, and your sweeps and pipelines with --in-cluster
that kml has found, in the current namespace or earlier in others. Runs stay in the list when their jobs are deleted.
A submitted job's parameters are the flags of its command (--lr=0.1, --lr 0.1, lr=0.1) and its variables (env.LR). A
sweep has the parameters of its best trial. A pipeline has its parameters, and the metrics of its steps, such as
train.accuracy, or accuracy if only one step has this metric. Each of the first hundred tasks of an array is a run,
such as arr/3, with the parameter task. kml reads metrics from the log when a job finishes while kml is watching
(wait, logs -f, submit --wait or --follow), or later while the log exists.

--where accepts names of parameters and metrics, "state", "kind", "name", "user" and tags ("tags.T"). The value of a
metric is the one at its highest step or, without steps, the last one; "loss.min" and "loss.max" are the extremes. A
comparison with NaN is never true. Whatever the order, NaN and infinite values come last. If a program
prints its arguments, kml does not read them as metrics.

`kml history` lists submitted jobs with their commits, and `kml rerun` submits a job again.)";
  command.examples = R"(# The ten most accurate runs with a small learning rate
kml runs --where 'lr < 0.01' --sort accuracy:desc --limit 10
# Only some columns
kml runs --columns state,accuracy,age
# How two runs differ
kml runs compare bert bert2)";
  add_run_filter(command, options->filter,
                 "Sort by a parameter, a metric or another name that --where accepts, the smallest first, or "
                 "with \":desc\" the largest first. Runs without the value come last. By default, runs are "
                 "sorted by their start.");
  command
      .option("--limit", "N", options->filter.limit,
              "at most N runs: the newest or, with --sort, the first [default: 50]", 1)
      .details("Show only the N newest runs or, with --sort, the first N runs in that order. [default: 50]");
  command
      .option("--columns", "NAME,…", options->columns,
              "columns after the name: parameters, metrics, state, age, run, tags, …")
      .details(
          "The columns after the name, in the order that you give. A column is a parameter, a metric (or "
          "\"loss.min\" or \"loss.max\"), \"state\", \"age\", \"run\", \"tags\", or another name that "
          "--where accepts.");
  add_output_format(command, {"json", "yaml"}, options->output, "print all details")
      .details("Print all details of the runs.");
  command.run = [options](Context& context) { return run_runs(context, *options); };
  for (Command (*make)() : {runs_compare_command, runs_tag_command, runs_note_command, runs_export_command,
                            runs_report_command, runs_push_command})
    command.subcommands.push_back(make());
  return command;
}

}  // namespace kml::cli
