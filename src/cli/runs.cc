#include <memory>
#include <ostream>

#include "cli/chosen_runs.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "kml/jobs/runs/gpu_hours.h"
#include "kml/ui/objects.h"
#include "kml/ui/tracked_runs.h"

namespace kml::cli {

namespace {

struct RunsOptions {
  RunFilter filter;
  std::string output;
};

int run_runs(Context& context, const RunsOptions& options) {
  constexpr size_t kDefaultLimit = 50;
  auto runs = chosen_runs(context, options.filter, kDefaultLimit);
  if (!options.output.empty()) {
    jobs::add_gpu_hours(runs);
    Json items = Json::array();
    for (const jobs::TrackedRun& run : runs) items.push_back(ui::to_json(run));
    ui::print_value(context.streams(), items, options.output);
  } else if (runs.empty()) {
    context.note(options.filter.where.empty() ? "no runs yet" : "no matching runs");
  } else {
    ui::print_tracked_runs(context.streams(), runs, system_clock().now());
  }
  return 0;
}

int run_export(Context& context, const RunsOptions& options) {
  auto runs = chosen_runs(context, options.filter);
  jobs::add_gpu_hours(runs);
  if (options.output == "json")
    for (const jobs::TrackedRun& run : runs) context.streams().out << json_text(ui::to_json(run)) << "\n";
  else
    ui::print_runs_csv(context.streams(), runs);
  return 0;
}

Command runs_export_command() {
  auto options = std::make_shared<RunsOptions>();
  Command command{"export", "Print runs with all parameters and metrics as CSV or JSON lines"};
  command.examples = R"(# All runs as a table for pandas or R
kml runs export >runs.csv
# Those that succeeded, as lines of JSON
kml runs export --where 'state == "Succeeded"' -o json)";
  add_run_filter(command, options->filter);
  command.option("--limit", "N", options->filter.limit, "at most N runs");
  command.choice("-o,--output", {"csv", "json"}, options->output, "format: csv or json");
  command.run = [options](Context& context) { return run_export(context, *options); };
  return command;
}

}  // namespace

Command runs_command() {
  auto options = std::make_shared<RunsOptions>();
  Command command{"runs", "List and compare runs: their parameters, metrics, code and outcome"};
  command.description =
      R"(Runs are submits, sweeps and pipelines of this machine, and your sweeps and pipelines that run with --in-cluster in
the current namespace. They stay in the list when their jobs are gone. A submit's parameters are the flags of its command
(--lr=0.1, --lr 0.1, lr=0.1) and its variables (env.LR); a sweep has the parameters of its best trial. A pipeline has its
parameters, and the metrics that its steps make: train.accuracy, or accuracy if only one step has that. Metrics are read from
the log when a job ends (wait, submit --wait or --follow), or later while the log exists.

--where takes names of parameters and metrics, "state", "kind", "name", "user" and tags ("tags.T"). A metric has its last value;
"loss.min" and "loss.max" are the extremes. `kml history` lists submits with their commits, `kml rerun` submits one again.)";
  command.examples = R"(# The ten most accurate runs with a small learning rate
kml runs --where 'lr < 0.01' --sort accuracy:desc --limit 10
# How two runs differ
kml runs compare bert bert2)";
  add_run_filter(command, options->filter);
  command.option("--limit", "N", options->filter.limit,
                 "at most N runs: the newest, or the first of --sort (50)");
  add_output_format(command, {"json", "yaml"}, options->output, "print everything that is known");
  command.run = [options](Context& context) { return run_runs(context, *options); };
  for (Command (*make)() : {runs_compare_command, runs_tag_command, runs_note_command, runs_export_command,
                            runs_report_command, runs_push_command})
    command.subcommands.push_back(make());
  return command;
}

}  // namespace kml::cli
