#include <algorithm>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/follow.h"
#include "cli/output_format.h"
#include "cli/run_session.h"
#include "kml/api/labels.h"
#include "kml/core/text.h"
#include "kml/jobs/views/find.h"
#include "kml/pipeline/example.h"
#include "kml/pipeline/runs.h"
#include "kml/ui/objects.h"
#include "kml/ui/run_table.h"

namespace kml::cli {

namespace {

struct RunResultsOptions {
  std::vector<std::string> words;
  std::string output;
  bool follow = false;
};

int run_run_list(Context& context, const RunResultsOptions& options) {
  std::vector<ui::RunRow> rows;
  Json items = Json::array();
  for (const std::string& name : pipeline::run_names()) try {
      const pipeline::RunState run = pipeline::read_run(name);
      const pipeline::Pipeline pipeline = pipeline::pipeline_of(run);
      rows.push_back({run, pipeline.name, pipeline.steps.size()});
      items.push_back(ui::run_to_json(pipeline, run));
    } catch (const Error& error) {  // it hides no other run
      context.note("run " + name + ": " + error.message);
    }
  std::stable_sort(rows.begin(), rows.end(), [](const ui::RunRow& a, const ui::RunRow& b) {
    return a.state.began() < b.state.began();
  });
  if (options.output == "name")
    for (const ui::RunRow& row : rows) context.streams().out << row.state.name() << "\n";
  else if (!options.output.empty())
    ui::print_value(context.streams(), items, options.output);
  else if (rows.empty())
    context.note("no runs yet; `kml run FILE` starts one");
  else
    ui::print_runs(context.streams(), rows, system_clock().now());
  return 0;
}

int run_run_status(Context& context, const RunResultsOptions& options) {
  const pipeline::RunState run = pipeline::read_run(options.words[0]);
  const pipeline::Pipeline pipeline = pipeline::pipeline_of(run);
  if (!options.output.empty()) {
    ui::print_value(context.streams(), ui::run_to_json(pipeline, run), options.output);
    return 0;
  }
  context.streams().out << run.name() << "  " << ui::run_state_text(run) << "\n";
  ui::print_steps(context.streams(), pipeline, run,
                  run.end().empty() ? system_clock().now() : run.last_time());
  if (run.end().empty() && pipeline::is_left(run))
    context.note("no engine is running; `kml run resume " + run.name() + "` continues the run");
  return 0;
}

/// The job of the step, in the run that made its result.
std::string job_of_step(const pipeline::RunState& run, const pipeline::Step& step) {
  const pipeline::StepState& state = run.step(step.name);
  if (!state.job.empty() && is_sweep(step))
    throw usage_error("step " + step.name + " is a sweep, whose trials have logs", "",
                      "kml sweep logs " + state.job + " [TRIAL]");
  if (!state.job.empty()) return state.job;
  if (!state.from.empty() && state.from != run.name())
    return job_of_step(pipeline::read_run(state.from), step);
  throw usage_error("step " + step.name + " has no log",
                    "it has not run: it is " + std::string(name_of(state.phase)));
}

/// Of a foreach, those of all steps that it became.
std::vector<std::string> jobs_of_step(const pipeline::RunState& run, const std::string& name) {
  const pipeline::Pipeline pipeline = pipeline::pipeline_of(run);
  std::vector<std::string> jobs, names;
  for (const pipeline::Step& step : pipeline.steps) names.push_back(step.name);
  for (const pipeline::Step* step : pipeline.all_of(name)) jobs.push_back(job_of_step(run, *step));
  if (jobs.empty())
    throw usage_error("run " + run.name() + " has no step \"" + name + "\"", did_you_mean(name, names),
                      "it has " + join(names, ", "));
  return jobs;
}

int run_run_logs(Context& context, const RunResultsOptions& options) {
  const pipeline::RunState run = pipeline::read_run(options.words[0]);
  const std::string& where = context.target().namespace_name;
  FollowOptions follow;
  if (options.words.size() > 1)
    for (const std::string& job : jobs_of_step(run, options.words[1]))
      follow.selection.jobs.push_back(jobs::find_job(context.client(), where, job));
  else
    follow.selection.jobs =
        jobs::list_jobs(context.client(), where, std::string(api::kRun) + "=" + run.name());
  follow.selection.gone_pods = context.place().is_local;
  if (follow.selection.jobs.empty()) {
    context.note("run " + run.name() + " has no jobs: all of its results were there already");
    return 0;
  }
  if (options.follow) return follow_jobs(context, follow);
  print_logs(context, follow);
  return 0;
}

}  // namespace

Command run_example_command() {
  Command command{"example", "Print a pipeline that has every field, each with its meaning and default"};
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
  Command command{"list", "List the runs of pipelines on this machine"};
  command.examples = R"(kml run list
kml run list -o json)";
  add_output_format(command, {"json", "yaml", "name"}, options->output, "print the runs, or their names");
  command.has_target = false;
  command.run = [options](Context& context) { return run_run_list(context, *options); };
  return command;
}

Command run_status_command() {
  auto options = std::make_shared<RunResultsOptions>();
  Command command{"status", "Show the steps of a run: state, time, outputs"};
  command.takes("RUN", options->words, "the run's name", 1, 1);
  command.examples = R"(kml run status iris-1
kml run status iris-1 -o json)";
  add_output_format(command, {"json", "yaml"}, options->output, "print the run in this format");
  command.has_target = false;
  command.run = [options](Context& context) { return run_run_status(context, *options); };
  return command;
}

Command run_logs_command() {
  auto options = std::make_shared<RunResultsOptions>();
  Command command{"logs", "Print or follow the logs of a run's steps"};
  command.description = "Of a step whose result was there already, the log of the run that made it.";
  command.takes("RUN [STEP]", options->words, "the run's name, and a step's", 1, 2);
  command.examples = R"(# The log of one step
kml run logs iris-1 train
kml run logs iris-1 -f)";
  command.flag("-f,--follow", options->follow, "follow the logs until the jobs end");
  command.run = [options](Context& context) { return run_run_logs(context, *options); };
  return command;
}

}  // namespace kml::cli
