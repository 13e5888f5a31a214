#include <algorithm>
#include <functional>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/output_format.h"
#include "job/commands/follow.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/job/views/find.h"
#include "kml/kube/objects/labels.h"
#include "kml/pipeline/engine/runs.h"
#include "kml/pipeline/tables/run_table.h"
#include "kml/ui/objects.h"
#include "pipeline/commands/cached_schedule.h"
#include "pipeline/commands/run_in_cluster.h"
#include "pipeline/commands/run_planned.h"
#include "pipeline/commands/run_selection.h"
#include "pipeline/file/example.h"
#include "sweep/commands/sweep_selection.h"

namespace kml::cli {

namespace {

struct RunResultsOptions {
  std::vector<std::string> words;
  std::string output;
  bool follow = false, engine = false;
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

/// The job of the step. If the step reused a result, the job that made the result.
std::string job_of_step(Context& context, const pipeline::RunState& run, const pipeline::Step& step) {
  const pipeline::StepState& state = run.step(step.name);
  if (!state.job.empty() && is_sweep(step))
    throw usage_error("step " + step.name + " is a sweep; each of its trials has a log", "",
                      has_begun(state.job) ? "kml sweep logs " + state.job + " [TRIAL]"
                                           : "kml logs -l kml.dev/sweep=" + state.job);
  if (is_serve(step))
    throw usage_error(
        "step " + step.name + " serves a model; each replica has a log", "",
        "`kml serve list` shows the NAME of the model, and `kml serve logs NAME` shows the logs");
  if (!state.job.empty()) return state.job;
  if (!state.from.empty() && state.from != run.name())
    return job_of_step(context, find_run(context, state.from).state, step);
  throw usage_error("step " + step.name + " has no log", "it has not run");
}

/// The jobs of a step. For a foreach, the jobs of all of its iterations.
std::vector<std::string> jobs_of_step(Context& context, const pipeline::RunState& run,
                                      const std::string& name) {
  const pipeline::Pipeline pipeline = pipeline::pipeline_of(run);
  std::vector<std::string> jobs, names;
  for (const pipeline::Step& step : pipeline.steps) names.push_back(step.name);
  for (const pipeline::Step* step : pipeline.all_of(name)) jobs.push_back(job_of_step(context, run, *step));
  if (jobs.empty() && pipeline.find(name))
    throw Error(ErrorCode::failure, "step " + name + " of run " + run.name() + " has no job",
                "the list of its foreach is empty");
  if (jobs.empty())
    throw usage_error("run " + run.name() + " has no step \"" + name + "\"", "",
                      suggestion(name, names, "it has " + join(names, ", ")));
  return jobs;
}

/// Selects the jobs whose logs to show. An engine that has not started has a job, but no journal.
void select_jobs(Context& context, const RunResultsOptions& options, FollowOptions& follow) {
  const std::string &where = context.target().namespace_name, &name = options.words[0];
  if (options.engine) {
    const auto there = find_run_only_there(context, name);
    if (!there)
      throw usage_error("run " + name + " has no engine in the cluster",
                        "the engine of this run is a process on this machine", "leave out --engine");
    follow.selection.jobs = {job::find_job(context.client(), where, engine_job_name(context, there->marks))};
    return;
  }
  const pipeline::RunState run = find_run(context, name).state;
  if (options.words.size() > 1)
    for (const std::string& job : jobs_of_step(context, run, options.words[1]))
      follow.selection.jobs.push_back(job::find_job(context.client(), where, job));
  else
    follow.selection.jobs =
        job::list_jobs(context.client(), where, std::string(api::kRun) + "=" + run.name());
}

int run_run_logs(Context& context, const RunResultsOptions& options) {
  FollowOptions follow;
  select_jobs(context, options, follow);
  follow.selection.gone_pods = context.place().is_local;
  if (follow.selection.jobs.empty()) {
    context.note("run " + options.words[0] + " has no jobs: no step needed one, or they were deleted");
    return 0;
  }
  if (options.follow) return follow_jobs(context, follow);
  print_logs(context, follow);
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

Command run_logs_command() {
  auto options = std::make_shared<RunResultsOptions>();
  Command command{"logs", "Print or follow the logs of a run's steps"};
  command.description =
      "If you name a step whose result was reused, kml prints the log of the run that produced the result.";
  command.takes("RUN [STEP]", options->words, "the run's name, and a step", 1, 2);
  command.examples = R"(# The log of one step
kml run logs iris-1 train
kml run logs iris-1 -f)";
  command.flag("--engine", options->engine, "for a run in the cluster: print its engine's log")
      .details("For a run in the cluster, print its engine's log instead.");
  command.flag("-f,--follow", options->follow, "follow the logs until the jobs finish")
      .details("Follow the logs until the jobs finish. The exit code is 3 if a job failed or was cancelled.");
  command.run = [options](Context& context) { return run_run_logs(context, *options); };
  return command;
}

}  // namespace kml::cli
