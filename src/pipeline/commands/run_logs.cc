#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "job/commands/follow.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/job/views/find.h"
#include "kml/kube/objects/labels.h"
#include "kml/pipeline/engine/runs.h"
#include "pipeline/commands/followed_run.h"
#include "pipeline/commands/run_in_cluster.h"
#include "pipeline/commands/run_selection.h"
#include "sweep/commands/sweep_selection.h"

namespace kml::cli {

namespace {

struct RunLogsOptions {
  std::vector<std::string> words;
  bool follow = false, engine = false;
};

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
void select_jobs(Context& context, const RunLogsOptions& options, FollowOptions& follow) {
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

int follow_to_end(Context& context, FollowedRun& run, FollowOptions& follow) {
  run.select(follow.selection);
  const int code = follow_jobs(context, follow);
  return code == static_cast<int>(ErrorCode::interrupted) ? run.report_interrupt() : run.report();
}

int run_run_logs(Context& context, const RunLogsOptions& options) {
  FollowOptions follow;
  follow.selection.gone_pods = context.place().is_local;
  if (options.follow && !options.engine) {
    FollowedRun run(context, find_run(context, options.words[0]),
                    options.words.size() > 1 ? options.words[1] : "");
    if (run.may_get_jobs()) return follow_to_end(context, run, follow);
  }
  select_jobs(context, options, follow);
  if (follow.selection.jobs.empty()) {
    context.note("run " + options.words[0] + " has no jobs: no step needed one, or they were deleted");
    return 0;
  }
  if (options.follow) return follow_jobs(context, follow);
  print_logs(context, follow);
  return 0;
}

}  // namespace

Command run_logs_command() {
  auto options = std::make_shared<RunLogsOptions>();
  Command command{"logs", "Print or follow the logs of a run's steps"};
  command.description =
      "If you name a step whose result was reused, kml prints the log of the run that produced the result.";
  command.takes("RUN [STEP]", options->words, "the run's name, and a step", 1, 2);
  command.examples = R"(# The log of one step
kml run logs iris-1 train
kml run logs iris-1 -f)";
  command.flag("--engine", options->engine, "for a run in the cluster: print its engine's log")
      .details("For a run in the cluster, print its engine's log instead.");
  command
      .flag("-f,--follow", options->follow, "follow the logs, even those of later steps, until the run ends")
      .details(
          "Follow the logs, even those of steps that start later, until the run ends. With STEP, until that "
          "step ends. The exit code is 3 if the run or the step failed or was cancelled.");
  command.run = [options](Context& context) { return run_run_logs(context, *options); };
  return command;
}

}  // namespace kml::cli
