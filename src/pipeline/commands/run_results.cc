#include <algorithm>
#include <functional>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/output_format.h"
#include "kml/pipeline/engine/runs.h"
#include "kml/pipeline/tables/run_table.h"
#include "kml/ui/objects.h"
#include "pipeline/commands/cached_schedule.h"
#include "pipeline/commands/run_in_cluster.h"
#include "pipeline/commands/run_planned.h"
#include "pipeline/commands/run_selection.h"
#include "pipeline/file/example.h"

namespace kml::cli {

namespace {

struct RunResultsOptions {
  std::vector<std::string> words;
  std::string output;
};

/// The rows in the list of runs.
class RunList {
 public:
  explicit RunList(Context& context) : context_(context) {}

  void add(const std::string& name, const char* engine, const std::function<FoundRun()>& read) try {
    const FoundRun run = read();
    const pipeline::Pipeline pipeline = pipeline::pipeline_of(run.state);
    const bool is_without_engine = is_left(context_, run);
    rows.push_back({run.state, pipeline.name, pipeline.steps.size(), is_without_engine, engine});
    items.push_back(ui::run_to_json(pipeline, run.state, is_without_engine));
    items.back()["engine"] = engine;
  } catch (const Error& error) {  // an unreadable run does not hide the others
    context_.note("run " + name + ": " + message_and_why(error));
  }

  std::vector<ui::RunRow> rows;
  Json items = Json::array();

 private:
  Context& context_;
};

/// The runs whose engines are in the cluster. If the cluster does not respond, the runs on this machine are
/// still shown.
std::vector<ClusterEngine> runs_there(Context& context) try {
  return cluster_runs(context);
} catch (const Error& error) {
  context.note("runs in the cluster are not listed: " + message_and_why(error));
  return {};
}

int run_run_list(Context& context, const RunResultsOptions& options) {
  const std::vector<ClusterEngine> there = runs_there(context);
  RunList list(context);
  for (const std::string& name : pipeline::run_names())
    list.add(name, "this machine", [&] { return FoundRun{pipeline::read_run(name), {}}; });
  for (const ClusterEngine& run : there)
    list.add(run.marks.name, "in the cluster", [&] { return FoundRun{state_of_run(context, run), run}; });
  std::stable_sort(list.rows.begin(), list.rows.end(), [](const ui::RunRow& a, const ui::RunRow& b) {
    return a.state.began() < b.state.began();
  });
  if (options.output == "name")
    for (const ui::RunRow& row : list.rows) context.streams().out << row.state.name() << "\n";
  else if (!options.output.empty())
    ui::print_value(context.streams(), list.items, options.output);
  else if (list.rows.empty())
    context.note("no runs yet; `kml run FILE` starts one");
  else
    ui::print_runs(context.streams(), list.rows, system_clock().now());
  return 0;
}

int run_run_status(Context& context, const RunResultsOptions& options) {
  const FoundRun found = find_run(context, options.words[0]);
  const pipeline::RunState& run = found.state;
  const pipeline::Pipeline pipeline = pipeline::pipeline_of(run);
  const bool is_without_engine = is_left(context, found);
  if (!options.output.empty()) {
    Json status = ui::run_to_json(pipeline, run, is_without_engine);
    if (!found.there) set_said(status, {{"plan", plan_of_begun_run(run.name())}});
    ui::print_value(context.streams(), status, options.output);
    return 0;
  }
  context.streams().out << run.name() << "  " << ui::run_state_text(run, is_without_engine) << "\n";
  ui::print_steps(context.streams(), pipeline, run, !run.end() ? system_clock().now() : run.last_time());
  note_nothing_ran(context, run);
  if (found.there && !run.end()) context.note(engine_in_words(context, *found.there));
  if (!found.there && is_without_engine)
    context.note("no engine is running; `kml run resume " + run.name() + "` continues the run");
  return 0;
}

}  // namespace

Command run_example_command() {
  Command command{"example", "Print a pipeline file with every field, its meaning and its default"};
  command.examples = R"(kml run example
# Try it
kml run example > all.yaml && kml run all.yaml)";
  command.has_target = false;
  command.run = [](Context& context) {
    context.streams().out << pipeline::example();
    return 0;
  };
  return command;
}

Command run_list_command() {
  auto options = std::make_shared<RunResultsOptions>();
  Command command{"list", "List pipeline runs, on this machine and in the cluster"};
  command.examples = R"(kml run list
kml run list -o json)";
  add_output_format(command, {"json", "yaml", "name"}, options->output, "print the runs, or their names")
      .details("Print all details of the runs in this format, or only their names.");
  command.run = [options](Context& context) { return run_run_list(context, *options); };
  return command;
}

Command run_status_command() {
  auto options = std::make_shared<RunResultsOptions>();
  Command command{"status", "Show the steps of a run with their states, times and outputs"};
  command.takes("RUN", options->words, "the run's name", 1, 1);
  command.examples = R"(kml run status iris-1
kml run status iris-1 -o json)";
  add_output_format(command, {"json", "yaml"}, options->output, "print the run in this format")
      .details("Print all details of the run in this format.");
  command.run = [options](Context& context) { return run_run_status(context, *options); };
  return command;
}

}  // namespace kml::cli
