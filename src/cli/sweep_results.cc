#include <algorithm>
#include <limits>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/sweep_in_cluster.h"
#include "cli/sweep_selection.h"
#include "cli/sweep_view.h"
#include "kml/core/files.h"
#include "kml/jobs/sweep/waiting_trials.h"
#include "kml/local/daemon.h"
#include "kml/sweep/engine/replay.h"
#include "kml/sweep/journal/journal.h"
#include "kml/sweep/journal/record.h"
#include "kml/ui/objects.h"
#include "kml/ui/reports.h"
#include "kml/ui/sweep_table.h"
#include "kml/ui/table.h"

namespace kml::cli {

namespace {

struct ResultsOptions {
  std::vector<std::string> names;
  std::string output;
};

/// Why it ended, in a few words; `status` tells more.
std::string in_brief(const sweep::SweepState& state) {
  return state.end().empty() ? "open" : state.end().substr(0, state.end().find(": "));
}

void add_row(ui::Table& table, const std::string& name, const sweep::SweepState& state,
             const std::string& state_in_brief, const std::string& where, Time now) {
  const std::string best = state.best() ? state.spec().objective.metric + "=" +
                                              ui::number_text(*state.trials()[*state.best()].value)
                                        : "-";
  table.add({{name},
             {state_in_brief},
             {std::to_string(state.ended().size()) + "/" + std::to_string(ui::planned_trials(state))},
             {best},
             {short_duration(now - state.begun())},
             {where}});
}

/// "line 3 of the journal is broken", "the journal is of a newer kml".
std::string fault_in_brief(const std::string& name, const Error& error) {
  std::string text = error.message;
  const std::string file = (sweep::sweep_folder(name) / "journal.jsonl").string();
  if (const size_t at = text.find(file); at != std::string::npos)
    text.replace(at, file.size(), "the journal");
  return text;
}

int run_sweep_list(Context& context, const ResultsOptions& options) {
  ui::Table table({"NAME", "STATE", "TRIALS", "BEST", "AGE", "ENGINE"});
  const Time now = system_clock().now();
  for (const std::string& name : sweep_names()) {
    if (options.output == "name") {
      context.streams().out << name << "\n";
      continue;
    }
    try {
      const sweep::SweepState state = state_of(context, name);
      add_row(table, name, state, is_left(name, state) ? left_in_words(name) : in_brief(state),
              "this machine", now);
    } catch (const Error& error) {  // it hides no other sweep
      table.add(
          {{name}, {fault_in_brief(name, error), ui::Style::red}, {"-"}, {"-"}, {"-"}, {"this machine"}});
    }
  }
  for (const ClusterSweep& sweep : cluster_sweeps(context)) {
    const std::string& name = sweep.marks.name;
    sweep::SweepState state;
    if (options.output == "name") {
      context.streams().out << name << "\n";
      continue;
    }
    try {
      read_cluster_sweep(context, sweep, [&](const sweep::Record& record) { state.apply(record); });
      add_row(table, name, state, in_brief(state), "in the cluster", now);
    } catch (const Error& error) {
      context.note(error.message + (error.why.empty() ? "" : ": " + error.why));
    }
  }
  if (options.output != "name" && table.empty())
    context.note("no sweeps yet");
  else if (options.output != "name")
    table.print(context.streams());
  return 0;
}

/// The rungs, and a plot of the best value so far.
void show_history(Context& context, const sweep::SweepState& state) {
  if (const std::string rungs = ui::rungs_in_words(state); !rungs.empty())
    context.streams().out << rungs << "\n";
  std::vector<double> values;
  for (const std::uint64_t number : state.ended()) {
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

/// Of the trials that have not started; nothing where the server cannot be asked.
ui::Waits waits_of(Context& context, const sweep::SweepState& state) {
  ui::Waits waits;
  const bool any = std::any_of(state.running().begin(), state.running().end(),
                               [&](std::uint64_t number) { return !state.trials()[number].is_seen; });
  if (!state.end().empty() || !any || (context.place().is_local && !local::status({}).running)) return waits;
  try {
    const std::string& where = context.target().namespace_name;
    const bool is_indexed = state.spec().is_indexed;
    // Those that may have been preempted, and those that never ran.
    std::vector<std::vector<std::string>> jobs(2);
    for (const std::uint64_t number : state.running())
      if (const sweep::Trial& trial = state.trials()[number]; !trial.is_seen)
        jobs[trial.began || is_indexed ? 0 : 1].push_back(trial.job);
    const auto causes = jobs::waiting_trials(context.client(), where, state.spec().name, jobs, is_indexed);
    for (const auto& [job, cause] : causes)
      if (const sweep::Trial* trial = state.find(job); trial && trial->job == job)
        waits[trial->number] = cause;
  } catch (const Error&) {
    // The journal tells the rest.
  }
  return waits;
}

int run_sweep_status(Context& context, const ResultsOptions& options) {
  const sweep::SweepState state = state_of(context, options.names[0]);
  if (!options.output.empty()) {
    ui::print_value(context.streams(), ui::to_json(state), options.output);
    return 0;
  }
  const std::string& name = options.names[0];
  const Time now = told_until(name, state);
  context.streams().out << ui::sweep_summary(state, now) << "\n";
  if (!state.end().empty())
    context.streams().out << "ended: " << ui::in_a_line(state.end()) << "\n";
  else if (is_left(name, state))
    context.streams().out << left_in_words(name) << "\n";
  else if (const auto there = find_only_in_cluster(context, name))
    context.streams().out << engine_in_words(context, *there) << "\n";
  const ui::Waits waits = waits_of(context, state);
  if (!waits.empty()) context.streams().out << ui::waits_in_words(waits) << "\n";
  if (context.streams().out_is_terminal) show_history(context, state);
  ui::print_trials(context.streams(), state, nullptr, waits, 20, true, now);
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
  for (const std::string& difference : replay.differences) context.streams().out << difference << "\n";
  context.streams().out << replay.proposals << " proposals, " << replay.differences.size() << " differ\n";
  return replay.differences.empty() ? 0 : static_cast<int>(ErrorCode::failure);
}

Command command_for(const char* name, const char* summary, int (*run)(Context&, const ResultsOptions&),
                    std::vector<std::string> formats, bool takes_name = true) {
  auto options = std::make_shared<ResultsOptions>();
  Command command{name, summary};
  if (takes_name) command.takes("SWEEP", options->names, "the sweep's name", 1, 1);
  if (!formats.empty()) command.choice("-o,--output", std::move(formats), options->output, "the format");
  command.run = [options, run](Context& context) { return run(context, *options); };
  return command;
}

}  // namespace

Command sweep_list_command() {
  return command_for("list", "List sweeps", run_sweep_list, {"name"}, false);
}
Command sweep_status_command() {
  return command_for("status", "Show how far a sweep is, and its best trials", run_sweep_status,
                     {"json", "yaml"});
}
Command sweep_export_command() {
  Command command =
      command_for("export", "Print all trials, as CSV or JSON lines", run_export, {"csv", "jsonl"});
  command.description =
      "Columns of CSV are called like the parameters and metrics in them; where a name is taken, like\n"
      "parameters.NAME and metrics.NAME.";
  return command;
}
Command sweep_replay_command() {
  return command_for("replay", "Check that the journal's proposals follow from what was known", run_replay,
                     {});
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
  if (options.file == "-") {
    context.streams().out << page;
    return 0;
  }
  const std::string file = options.file.empty() ? options.names[0] + ".html" : options.file;
  write_file_atomically(file, page, 0644);
  context.streams().out << file << "\n";
  return 0;
}

}  // namespace

Command sweep_report_command() {
  auto options = std::make_shared<ReportOptions>();
  Command command{"report", "Write a page with plots and all trials, for a browser"};
  command.description =
      "One HTML file that needs no network: the best value over time, the parameters against it, their\n"
      "importance, learning curves, cost, and a table of all trials. It holds the command, no environment.";
  command.takes("SWEEP", options->names, "the sweep's name", 1, 1);
  command.option("-o,--output", "FILE", options->file, "where to write it (NAME.html); - is stdout");
  command.run = [options](Context& context) { return run_report(context, *options); };
  return command;
}

}  // namespace kml::cli
