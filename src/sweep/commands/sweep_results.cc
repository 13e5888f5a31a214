#include <algorithm>
#include <limits>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "cli/page_output.h"
#include "kml/base/files.h"
#include "kml/sweep/journal/journal.h"
#include "kml/sweep/journal/record.h"
#include "kml/sweep/tables/sweep_table.h"
#include "kml/tracking/tables/sweep_report.h"
#include "kml/ui/objects.h"
#include "kml/ui/table.h"
#include "sweep/commands/sweep_in_cluster.h"
#include "sweep/commands/sweep_planned.h"
#include "sweep/commands/sweep_row.h"
#include "sweep/commands/sweep_selection.h"
#include "sweep/commands/sweep_view.h"
#include "sweep/engine/replay.h"
#include "sweep/tables/sweep_stopping.h"

namespace kml::cli {

namespace {

struct ResultsOptions {
  std::vector<std::string> names;
  std::string output;
};

std::string best_in_words(const SweepRow& row) {
  if (row.front) return "front of " + std::to_string(*row.front);
  return row.best ? row.metric + "=" + ui::number_text(*row.best) : "-";
}

void print_rows(const Streams& streams, const std::vector<SweepRow>& rows, Time now) {
  ui::Table table({"NAME", "STATE", "TRIALS", "BEST", "AGE", "ENGINE"});
  for (const SweepRow& row : rows) {
    if (row.fault.empty())
      table.add({{row.name},
                 {row.state},
                 {std::to_string(row.ended) + "/" + std::to_string(row.planned)},
                 {best_in_words(row)},
                 {short_duration(now - row.begun)},
                 {row.engine.empty() ? row.where : row.engine.substr(0, row.engine.find(", since"))}});
    else
      table.add({{row.name}, {row.fault, ui::Style::red}, {"-"}, {"-"}, {"-"}, {row.where}});
  }
  table.print(streams);
}

std::vector<SweepRow> sweep_rows(Context& context) {
  std::vector<SweepRow> rows;
  for (const std::string& name : sweep_names()) rows.push_back(sweep_row(context, name));
  for (const ClusterSweep& sweep : cluster_sweeps(context)) {
    try {
      rows.push_back(sweep_row(context, sweep));
    } catch (const Error& error) {
      context.note(message_and_why(error));
    }
  }
  return rows;
}

int run_sweep_list(Context& context, const ResultsOptions& options) {
  if (options.output == "name") {
    for (const std::string& name : sweep_names()) context.streams().out << name << "\n";
    for (const ClusterSweep& sweep : cluster_sweeps(context))
      context.streams().out << sweep.marks.name << "\n";
    return 0;
  }
  const std::vector<SweepRow> rows = sweep_rows(context);
  if (!options.output.empty()) {
    Json items = Json::array();
    for (const SweepRow& row : rows) items.push_back(to_json(row));
    ui::print_value(context.streams(), items, options.output);
  } else if (rows.empty()) {
    context.note("no sweeps yet");
  } else {
    print_rows(context.streams(), rows, system_clock().now());
  }
  return 0;
}

/// Prints a plot of the best value over time.
void show_history(Context& context, const sweep::SweepState& state) {
  if (state.spec().has_front()) return;
  std::vector<double> values;
  for (const std::uint64_t number : state.lists().ended) {
    const sweep::Trial& trial = state.trials()[number];
    const bool counts = trial.state == sweep::TrialState::complete && trial.value;
    values.push_back(counts ? *trial.value : std::numeric_limits<double>::quiet_NaN());
  }
  constexpr int kMostColumns = 72;
  const ui::HistoryPlot plot = {
      .width = static_cast<size_t>(std::clamp(context.streams().width, 0, kMostColumns)),
      .height = 6,
      .maximize = state.spec().objective.maximize,
      .utf8 = ui::locale_is_utf8()};
  for (const std::string& line : ui::history_plot(values, plot)) context.streams().out << line << "\n";
}

int run_sweep_status(Context& context, const ResultsOptions& options) {
  const sweep::SweepState state = state_of(context, options.names[0]);
  if (!options.output.empty()) {
    Json status = ui::to_json(state);
    set_said(status, {{"plan", plan_of_begun_sweep(options.names[0])}});
    ui::print_value(context.streams(), status, options.output);
    return 0;
  }
  const std::string& name = options.names[0];
  const Time now = told_until(name, state);
  context.streams().out << ui::sweep_summary(state, now) << "\n";
  if (!state.end().reason.empty())
    context.streams().out << "ended: " << ui::in_a_line(state.end().reason) << "\n";
  else if (is_left(name, state))
    context.streams().out << left_in_words(name) << "\n";
  else if (const auto engine = sweep::writer_of(sweep::sweep_folder(name)))
    context.streams().out << "engine: " << *engine << "\n";
  else if (const auto there = find_only_in_cluster(context, name))
    context.streams().out << engine_in_words(context, there->engine()) << "\n";
  const ui::Waits waits = waits_of(context, state);
  if (!waits.empty()) context.streams().out << ui::waits_in_words(waits) << "\n";
  const ui::StoppingReport stopping(state);
  for (const std::string& line : stopping.bracket_lines()) context.streams().out << line << "\n";
  if (context.streams().out_is_terminal) show_history(context, state);
  // with early stopping, all trials, because each line says why its trial was stopped or not
  const size_t most = stopping.is_empty() ? 20 : 0;
  ui::print_trials(context.streams(), state, nullptr, waits, most, true, now);
  show_log_hint(context, state);
  return 0;
}

int run_export(Context& context, const ResultsOptions& options) {
  const sweep::SweepState state = state_of(context, options.names[0]);
  options.output == "jsonl" ? ui::print_jsonl(context.streams(), state)
                            : ui::print_csv(context.streams(), state);
  return 0;
}

int run_replay(Context& context, const ResultsOptions& options) {
  std::vector<sweep::Record> records;
  read_sweep(context, options.names[0], [&](const sweep::Record& record) { records.push_back(record); });
  const sweep::Replay replay = sweep::replay(records);
  if (!options.output.empty()) {
    ui::print_value(context.streams(), {{"proposals", replay.proposals}, {"differences", replay.differences}},
                    options.output);
  } else {
    for (const std::string& difference : replay.differences) context.streams().out << difference << "\n";
    context.streams().out << replay.proposals << " proposals, " << replay.differences.size() << " differ\n";
  }
  return replay.differences.empty() ? 0 : static_cast<int>(ErrorCode::failure);
}

Command command_for(const char* name, const char* summary, int (*run)(Context&, const ResultsOptions&),
                    std::vector<std::string> formats, bool takes_name = true) {
  auto options = std::make_shared<ResultsOptions>();
  Command command{name, summary};
  if (takes_name) command.takes("SWEEP", options->names, "the sweep's name", 1, 1);
  if (!formats.empty() && formats[0] == "json")
    add_output_format(command, std::move(formats), options->output, "print the data in this format");
  else if (!formats.empty())
    command.choice("-o,--output", std::move(formats), options->output, "print the data in this format");
  const std::string line = "kml sweep " + command.name + (takes_name ? " lr1" : "");
  command.examples = line;
  if (!command.options.empty()) command.examples += "\n" + line + " -o " + command.options[0].choices[0];
  command.run = [options, run](Context& context) { return run(context, *options); };
  return command;
}

}  // namespace

Command sweep_list_command() {
  return command_for("list", "List sweeps", run_sweep_list, {"json", "yaml", "name"}, false);
}
Command sweep_status_command() {
  Command command = command_for("status", "Show the progress of a sweep and its best trials",
                                run_sweep_status, {"json", "yaml"});
  command.description =
      R"(With early stopping, kml shows whether each trial was stopped, and why. kml shows the last rung at which the
trial was compared, its value there, the cut-off (trials with a worse value are stopped), and its rank among the
trials of its bracket that reached the rung. For each bracket, kml shows how many trials reached each rung, and how
many were stopped there. With median, the cut-off is the median of the other trials' values.)";
  return command;
}
Command sweep_export_command() {
  Command command =
      command_for("export", "Print all trials, as CSV or JSON lines", run_export, {"csv", "jsonl"});
  command.description =
      "CSV columns are named after the parameters and metrics; a name that is already in use becomes "
      "parameters.NAME or metrics.NAME.";
  return command;
}
Command sweep_replay_command() {
  Command command = command_for("replay", "Check that a sweep's choices can be reproduced from its journal",
                                run_replay, {"json", "yaml"});
  command.find("--output")->details("Print the number of proposals, and each difference, in this format.");
  return command;
}

namespace {

struct ReportOptions {
  std::vector<std::string> names;
  std::string file;
};

int run_report(Context& context, const ReportOptions& options) {
  sweep::SweepState state;
  read_sweep(context, options.names[0], [&](const sweep::Record& record) { state.apply(record); });
  const Time now = told_until(options.names[0], state);
  const std::string page = ui::report_page(ui::report_data(state, state.timeline(), now));
  write_page(context, options.file.empty() ? options.names[0] + ".html" : options.file, page);
  return 0;
}

}  // namespace

Command sweep_report_command() {
  auto options = std::make_shared<ReportOptions>();
  Command command{"report", "Write an HTML page with plots and all trials"};
  command.description =
      "The page is one HTML file that needs no network. The page shows the best value over time, how the "
      "value "
      "depends on "
      "each parameter, the importance of the parameters, learning curves, costs, and a table of all trials. "
      "The page contains the command, but not the environment.";
  command.examples = R"(kml sweep report lr1
kml sweep report lr1 -o - > lr1.html)";
  command.takes("SWEEP", options->names, "the sweep's name", 1, 1);
  command.option("-o,--output", "FILE", options->file,
                 "where to write the page; - is standard output [default: NAME.html]");
  command.run = [options](Context& context) { return run_report(context, *options); };
  return command;
}

}  // namespace kml::cli
