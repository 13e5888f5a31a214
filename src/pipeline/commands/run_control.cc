#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "job/commands/lost_pods_note.h"
#include "kml/base/agent.h"
#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/engine/watching/owned_objects.h"
#include "kml/job/control/control.h"
#include "kml/job/views/find.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/pipeline/engine/artifacts.h"
#include "kml/pipeline/engine/runs.h"
#include "kml/serve/model/rollout.h"
#include "pipeline/commands/run_detached.h"
#include "pipeline/commands/run_in_cluster.h"
#include "pipeline/commands/run_selection.h"
#include "pipeline/commands/run_session.h"
#include "pipeline/commands/run_view.h"
#include "pipeline/engine/gc.h"
#include "sweep/commands/sweep_removal.h"
#include "sweep/commands/sweep_selection.h"
#include "sweep/commands/sweep_session.h"
#include "tracking/commands/engine_records.h"

namespace kml::cli {

namespace {

struct RunControlOptions {
  std::vector<std::string> names;
  bool is_forced = false, stops_served = false, detach = false;
};

/// Throws Error if files of completed steps are missing, because the remaining steps may read them.
void refuse_without_files(const pipeline::RunState& run) {
  for (const pipeline::Artifact& artifact : artifacts_of(run))
    if (!artifact.is_there)
      throw usage_error("run " + run.name() + " cannot continue",
                        "the files of " + artifact.name.text() + " were removed", command_to_repeat(run));
}

/// Removes a request to stop, and retries failed steps.
void begin_again(const pipeline::RunState& run, pipeline::Journal& journal) {
  std::filesystem::remove(pipeline::stop_file(run.name()));
  if (!run.end()) return;
  journal.add({system_clock().now(), pipeline::record::Resumed{}});
  journal.commit();
}

/// Continues the run with its original settings, in this process or, with `detached`, in the background.
int continue_here(Context& context, const std::string& name, bool tries_again, bool detached = false) {
  const pipeline::RunState run = pipeline::read_run(name);
  require_target(context, run);
  if (run.end() && (run.end() == pipeline::Outcome::succeeded || !tries_again)) {
    context.note("run " + name + " already ended: " + std::string(name_of(*run.end())));
    return 0;
  }
  refuse_without_files(run);
  PipelineHere here(context, run.head().file, pipeline::pipeline_of(run), run.head());
  context.tell_target();
  {
    pipeline::Journal journal = pipeline::open_run(name, owner());
    if (tries_again) begin_again(run, journal);
    if (!detached) return go_on_here(context, here, name, journal);
  }
  go_on_in_background(context, name);
  return 0;
}

/// If the run is in the cluster, starts an engine there, in the background in any case.
int run_run_resume(Context& context, const RunControlOptions& options) {
  const std::string& name = options.names[0];
  const auto there = find_run_only_there(context, name);
  if (!there) return continue_here(context, name, true, options.detach);
  resume_in_cluster(context, *there);
  return 0;
}

/// Nothing stops steps on nodes that do not answer. The run of this machine may be for another target, about
/// which this command knows nothing.
void note_lost_steps(Context& context, const pipeline::RunState& run, bool is_in_cluster) {
  const Json& target = run.head().target;
  const Place& place = context.place();
  const bool is_here = string_at(target, {"context"}) == place.context &&
                       string_at(target, {"namespace"}) == place.namespace_name;
  if (!is_here && !is_in_cluster) return;
  note_lost_pods_of(context, "run " + run.name(), std::string(api::kSubmitId) + "=" + run.id());
  for (const pipeline::Step& step : pipeline::pipeline_of(run).steps)
    if (const std::string& sweep = run.step(step.name).job; is_sweep(step) && !sweep.empty())
      note_lost_pods_of(context, "sweep " + sweep, std::string(api::kSweep) + "=" + sweep);
}

/// If an engine is running, it notices the stop file within a second. Otherwise, this process ends the run.
int run_run_stop(Context& context, const RunControlOptions& options) {
  const std::string& name = options.names[0];
  const FoundRun found = find_run(context, name);
  const pipeline::RunState& run = found.state;
  if (runs_for_agent()) require_target(context, run);
  if (run.end()) {
    context.note("run " + name + " already ended: " + std::string(name_of(*run.end())));
    return 0;
  }
  context.streams().out << "stopping run " << name << std::endl;
  if (found.there) {
    stop_in_cluster(context, *found.there);
    note_lost_steps(context, run, true);
    return 0;
  }
  // an empty file can be written even if the disk is full
  write_file_atomically(pipeline::stop_file(name), "");
  note_lost_steps(context, run, false);
  if (pipeline::is_left(run)) continue_here(context, name, false);
  return 0;
}

/// With `is_stopping` (the option --served), stops the models that the run's steps serve. Otherwise, only
/// says that they are still served.
void end_served(Context& context, const pipeline::RunState& run, bool is_stopping) {
  const std::vector<pipeline::Step> steps = pipeline::pipeline_of(run).steps;
  if (std::none_of(steps.begin(), steps.end(), pipeline::is_serve)) return;
  for (const serve::Served& served :
       serve::served_by_run(context.client(), context.target().namespace_name, run.id())) {
    const std::string name = api::name_of(served.object);
    if (is_stopping) {
      serve::stop_served(context.client(), served);
      context.streams().out << name << " is stopped\n";
    } else {
      context.note(name + " is still served; `kml serve stop " + name + "` stops it");
    }
  }
}

/// Deletes the run with its jobs and their logs. On this machine, also deletes its journal, and the files
/// that only it needs.
void delete_run(Context& context, const std::string& name, const RunControlOptions& options) {
  if (const auto there = find_run_only_there(context, name)) {
    require_idle_engine(context, *there);
    record_engine(context, *there);
    end_served(context, state_of_run(context, *there), options.stops_served);
    delete_in_cluster(context, *there);
    context.streams().out << "run " << name << " deleted\n";
    return;
  }
  const pipeline::RunState run = pipeline::read_run(name);
  require_target(context, run);
  const pipeline::Journal journal =
      pipeline::open_run(name, "kml run delete");  // throws Error while an engine is running
  end_served(context, run, options.stops_served);
  const std::string& where = context.target().namespace_name;
  const std::string own = std::string(api::kSubmitId) + "=" + run.id();
  const std::vector<Json> jobs = job::list_jobs(context.client(), where, own);
  note_lost_pods(context, "run " + name, jobs);
  for (const Json& job : jobs) job::remove(context.client(), job);
  engine::remove_engine_object(context.client(), {"run", std::string(api::kRun), name, run.id(), where});
  for (const pipeline::Step& step : pipeline::pipeline_of(run).steps)
    if (const std::string& sweep = run.step(step.name).job; is_sweep(step) && has_begun(sweep))
      remove_sweep(context, sweep);
  const std::vector<std::string> kept =
      remove_outputs(pipeline::local_store(), name, options.is_forced, system_clock().now());
  std::filesystem::remove_all(pipeline::run_folder(name));
  context.streams().out << "run " << name << " deleted\n";
  for (const std::string& path : kept)
    context.note("kept " + path + ", which is pinned or used by other runs");
  if (const std::string store = run.head().store; pipeline::is_s3_store(store))
    context.note("the results and files that the run sent to " + store + " stay there");
  else if (!store.empty())
    context.note("the run's files stay on " + store + ", in v1/data/" + name);
}

int run_run_delete(Context& context, const RunControlOptions& options) {
  for (const std::string& name : options.names)  // checks all names first, so that a typo deletes nothing
    if (!find_run_only_there(context, name)) pipeline::read_run(name);
  for (const std::string& name : options.names) delete_run(context, name, options);
  return 0;
}

}  // namespace

Command run_stop_command() {
  auto options = std::make_shared<RunControlOptions>();
  Command command{"stop", "Stop a run and its running steps"};
  command.takes("RUN", options->names, "the run's name", 1, 1);
  command.examples = R"(kml run stop iris-1
# Run the stopped steps
kml run resume iris-1)";
  command.run = [options](Context& context) { return run_run_stop(context, *options); };
  return command;
}

Command run_resume_command() {
  auto options = std::make_shared<RunControlOptions>();
  Command command{"resume", "Continue a run that was interrupted or stopped, or retry its failed steps"};
  command.description = "The run uses the pipeline file as it was when the run started.";
  command.takes("RUN", options->names, "the run's name", 1, 1);
  command.examples = R"(kml run resume iris-1
# In the background
kml run resume iris-1 --detach
# With a changed file: a new run, which reuses finished steps
kml run pipeline.yaml)";
  command
      .flag("--detach", options->detach, "continue the run in the background, and return once it has started")
      .details("Continue the run in the background, and return once it has started.");
  command.run = [options](Context& context) { return run_run_resume(context, *options); };
  return command;
}

Command run_delete_command() {
  auto options = std::make_shared<RunControlOptions>();
  Command command{"delete", "Delete a run: its jobs and their logs, its files, and its journal"};
  command.description =
      R"(kml keeps pinned artifacts, and files that other runs reuse; `kml gc` removes the reused files once those runs
are old. With --force, kml deletes these artifacts and files too, and steps that reused them run again.

If a step of the run serves a model, the model keeps running, and kml prints the command that stops it. With --served,
kml stops the model, unless another run or `kml serve` has updated the model since.)";
  command.takes("RUN", options->names, "the runs' names", 1);
  command.examples = R"(kml run delete iris-1
# Also stop the model that it serves
kml run delete iris-1 --served
# Delete all runs
kml run list -o name | xargs kml run delete)";
  command.flag("--force", options->is_forced, "also delete pinned artifacts, and files that other runs use")
      .details(
          "Also delete pinned artifacts, and files that later runs reuse. Steps that reused these files run "
          "again when their results are needed.");
  command.flag("--served", options->stops_served, "also stop the models that the runs' steps serve")
      .details(
          "Also stop the models that the runs' steps serve, unless another run or `kml serve` has updated "
          "the models since. Files that a model reads stay pinned; add --force to delete them too.");
  command.run = [options](Context& context) { return run_run_delete(context, *options); };
  return command;
}

}  // namespace kml::cli
