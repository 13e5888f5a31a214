#include <fmt/format.h>

#include <map>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/context.h"
#include "kml/base/files.h"
#include "kml/base/flag_errors.h"
#include "tracking/commands/chosen_runs.h"
#include "tracking/commands/run_files.h"
#include "tracking/commands/tracked_runs.h"
#include "tracking/mlflow/mlflow_files.h"
#include "tracking/mlflow/mlflow_push.h"
#include "tracking/runs/gpu_hours.h"
#include "tracking/runs/tracked_trials.h"

namespace kml::cli {

namespace {

struct PushOptions {
  std::vector<std::string> names;
  RunFilter filter;
  std::string uri, experiment;
  bool artifacts = false;
};

/// The server's address, without the part that is only for browsers.
std::string mlflow_uri(const PushOptions& options) {
  std::string uri = options.uri.empty() ? environment("MLFLOW_TRACKING_URI") : options.uri;
  if (uri.empty())
    throw missing_argument("--mlflow URI", "MLFLOW_TRACKING_URI is not set either",
                           "add --mlflow https://HOST");
  uri = uri.substr(0, uri.find("/#"));
  while (uri.ends_with('/')) uri.pop_back();
  return uri;
}

/// Pushes the trials of a sweep as children of the sweep's run.
void push_trials(Context& context, tracking::MlflowPush& push, const tracking::TrackedRun& sweep,
                 const std::string& parent) {
  const std::vector<tracking::TrackedTrial> trials =
      tracking::tracked_trials(sweep_of_run(context, sweep), sweep);
  size_t done = 0;
  for (const tracking::TrackedTrial& trial : trials) {
    const tracking::PushedRun pushed = push.push(trial.run, trial.courses, {}, parent);
    for (const std::string& fault : pushed.faults) context.note(trial.run.name + ": " + fault);
    context.progress(sweep.name + ": " + std::to_string(++done) + " of " + std::to_string(trials.size()) +
                     " trials sent");
  }
  context.end_progress();
}

/// Pushes the runs that the program itself made with MLflow as children of its run.
void push_nested(Context& context, tracking::MlflowPush& push, const tracking::TrackedRun& run,
                 const std::string& parent) {
  std::map<std::string, std::string> pushed_ids = {{"", parent}};
  for (const tracking::TrackedRun& nested : run.nested) {
    tracking::TrackedRun named = nested;
    named.name = nested.name.substr(run.name.size() + 1);
    const auto above = pushed_ids.find(nested.parent);
    const tracking::PushedRun pushed =
        push.push(named, courses_of(context, nested), {}, above == pushed_ids.end() ? parent : above->second);
    pushed_ids[nested.id] = pushed.id;
    for (const std::string& fault : pushed.faults) context.note(nested.name + ": " + fault);
  }
}

void push_run(Context& context, tracking::MlflowClient& client, tracking::MlflowPush& push,
              const tracking::TrackedRun& run, bool with_files) {
  const auto show = [&](size_t done, size_t all) {
    context.progress(run.name + ": " + std::to_string(done) + " of " + std::to_string(all) +
                     " metric values sent");
  };
  tracking::PushedRun pushed = push.push(run, courses_of(context, run), show);
  context.end_progress();
  std::string files_text;
  if (with_files) {
    const std::vector<tracking::RunFile> files = files_of(run, pushed.faults);
    const tracking::SentFiles sent = tracking::push_files(client, pushed, files);
    files_text = fmt::format(", {} of {} artifacts sent", sent.artifacts, files.size());
    if (sent.refused > 0)
      files_text += fmt::format(" completely, and {} of {} files", sent.files, sent.files + sent.refused);
  }
  if (run.kind == "sweep") push_trials(context, push, run, pushed.id);
  push_nested(context, push, run, pushed.id);
  for (const std::string& fault : pushed.faults) context.note(run.name + ": " + fault);
  context.streams().out << "run " << run.name << (pushed.is_new ? " pushed: " : " updated: ") << pushed.url
                        << " (" << pushed.values << (pushed.values == 1 ? " new value" : " new values")
                        << files_text << ")" << std::endl;
}

int run_push(Context& context, const PushOptions& options) {
  if (options.names.empty() && options.filter.where.empty())
    throw missing_argument("RUN", "", "name the runs, or select them: --where 'state == \"Succeeded\"'");
  const std::string uri = mlflow_uri(options);
  const std::unique_ptr<http::Transport> transport =
      http::make_curl_transport(tracking::mlflow_endpoint(uri, environment));
  std::vector<tracking::TrackedRun> runs =
      named_or_chosen_runs(context, options.names, options.filter, kAllRuns);
  if (runs.empty()) {
    context.note("no matching runs");
    return 0;
  }
  tracking::add_gpu_hours(runs);
  const std::string set =
      options.experiment.empty() ? environment("MLFLOW_EXPERIMENT_NAME") : options.experiment;
  tracking::MlflowClient client(*transport, uri);
  tracking::MlflowPush push(client, client.experiment(set.empty() ? "kml" : set));
  for (const tracking::TrackedRun& run : runs) push_run(context, client, push, run, options.artifacts);
  return 0;
}

}  // namespace

Command runs_push_command() {
  auto options = std::make_shared<PushOptions>();
  Command command{"push", "Copy runs to an MLflow server"};
  command.description =
      R"(For each run, kml copies the parameters, the metrics with their steps and times, the tags and the note. Tags "kml.…"
hold the run's command, image, commit, uncommitted changes and outcome. A sweep has the parameters and the
learning curve of its best trial, and each trial becomes a child run. A run that MLflow already has is
updated; kml finds it by the tag kml.run_id.

MLflow accepts letters, digits and "_-./: " in names. kml replaces other characters, with a note. kml uses the login
of the MLflow client: MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD.)";
  command.examples = R"(# One run
kml runs push bert --mlflow http://localhost:5000
# A pipeline run, with the files that its steps made
kml runs push iris-1 --artifacts --mlflow http://localhost:5000
# All successful runs, into the experiment "bert"
kml runs push --mlflow https://mlflow.example --experiment bert --where 'state == "Succeeded"')";
  command.takes("RUN", options->names, "names or ids of runs", 0);
  add_run_filter(command, options->filter,
                 "Push runs in this order, the smallest first, or with \":desc\" the largest first.");
  command.option("--limit", "N", options->filter.limit, "at most N runs", 1)
      .details("Push only the N newest runs or, with --sort, the first N runs in that order.");
  command.option("--mlflow", "URI", options->uri, "address of the server [env: MLFLOW_TRACKING_URI]")
      .details(
          "The address of the MLflow server, as in a browser, without the part after \"#\". If the server "
          "needs a login, an http:// address must be on this machine. [env: MLFLOW_TRACKING_URI]");
  command
      .option("--experiment", "NAME", options->experiment,
              "MLflow experiment, created if needed [env: MLFLOW_EXPERIMENT_NAME] [default: kml]")
      .details(
          "The MLflow experiment for the runs. kml creates the experiment if it does not exist. [env: "
          "MLFLOW_EXPERIMENT_NAME] [default: kml]");
  command.flag("--artifacts", options->artifacts, "also send the files that the runs made")
      .details(
          "Also send the outputs of pipeline steps, as STEP/OUTPUT, and the files that jobs logged with "
          "--track mlflow. Outputs and logged files that have not changed are not sent again. Links, and "
          "files over 1 GiB, "
          "are left out.");
  command.run = [options](Context& context) { return run_push(context, *options); };
  return command;
}

}  // namespace kml::cli
