#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/context.h"
#include "kml/base/text.h"
#include "kml/engine/in_cluster/stop_request.h"
#include "kml/pipeline/engine/runs.h"
#include "kml/pipeline/store/shared_store.h"
#include "pipeline/commands/git_runs_in_cluster.h"
#include "pipeline/commands/run_schedule_in_cluster.h"
#include "sweep/commands/sweep_selection.h"
#include "sweep/commands/sweep_session.h"

namespace kml::cli {

namespace {

namespace fs = std::filesystem;

struct RunEngineOptions {
  std::vector<std::string> names;
  std::string schedule, commit;
  std::vector<std::string> params;
};

std::optional<ClusterEngine> run_to_go_on(Context& context, const RunEngineOptions& options) {
  const std::string& name = options.names[0];
  if (!options.commit.empty())
    return run_of_commit(context, {options.schedule, name, options.commit, options.params});
  if (!options.schedule.empty()) return run_of_schedule(context, options.schedule, name);
  return find_cluster_run(context, name);
}

/// For a new run, writes the first record. Otherwise, checks that the journal on the volume belongs to this
/// run, and records a request to resume that the journal does not contain yet.
void begin_or_resume(pipeline::Journal& journal, Context& context, const ClusterEngine& run,
                     pipeline::Record first) {
  pipeline::RunState state;
  std::string resumed;
  journal.read([&](const pipeline::Record& record) {
    state.apply(record);
    if (const auto* again = std::get_if<pipeline::record::Resumed>(&record.what))
      resumed = again->request.value_or(resumed);
  });
  if (state.is_empty()) {
    std::get<pipeline::record::Run>(first.what).target = target_of(context);
    journal.add(first);
  } else if (state.id() != run.marks.id) {
    throw usage_error("the volume already has the journal of another run " + run.marks.name,
                      pipeline::run_folder(run.marks.name).string(),
                      "use another name, or another folder in --journal-volume");
  }
  const std::string request = string_at(run.object, {"data", RunDocument::kResume});
  if (request != resumed) journal.add({system_clock().now(), pipeline::record::Resumed{request}});
  journal.commit();
}

int run_run_engine(Context& context, const RunEngineOptions& options) {
  const std::string& name = options.names[0];
  const std::optional<ClusterEngine> run = run_to_go_on(context, options);
  if (!run)
    throw usage_error("no run " + name + " in namespace " + context.place().namespace_name,
                      "only the job of `kml run --in-cluster` runs this command");
  const Json document = run->document();
  const pipeline::Record first = first_record_in(document);
  // For a commit, the files are in the checked-out folder, where they were when the run started.
  const fs::path root = options.commit.empty() ? engine::kEngineWork : "/";
  if (options.commit.empty()) pipeline::unpack_run_files(engine::kEngineFiles, root);
  fs::current_path(pipeline::place_below(root, string_at(document, {RunDocument::kFolder})));
  pipeline::StepDefaults defaults =
      pipeline::step_defaults_from_json(object_at(document, {RunDocument::kDefaults}));
  for (fs::path& folder : defaults.template_folders) folder = pipeline::place_below(root, folder);
  for (spec::Setting& setting : defaults.settings)
    if (setting.name == "template" && setting.value.starts_with('/'))
      setting.value = pipeline::place_below(root, setting.value);
  Json inputs = object_at(document, {RunDocument::kInputs});
  for (Json& input : inputs)
    if (input.contains("path") && !pipeline::is_on_volume(input))
      input["path"] = pipeline::place_below(root, string_at(input, {"path"}));
  pipeline::RunState begun;
  begun.apply(first);
  PipelineHere here(context, pipeline::place_below(root, begun.head().file), pipeline::pipeline_of(begun),
                    begun.head().store, std::move(defaults), bool_at(document, {RunDocument::kTrusted}),
                    std::move(inputs));
  pipeline::Journal journal = pipeline::open_run(name, owner());
  begin_or_resume(journal, context, *run, first);
  LaggingCopy copy(context, *run, pipeline::run_folder(name) / "journal.jsonl");
  const engine::StopRequest stop(context.client(), run->marks, run->object);
  const int code =
      go_on(context, here, name, journal,
            {[&] { return stop.text().has_value(); }, [&](const pipeline::Engine&) { copy.update(); }});
  copy.end();
  return code;
}

}  // namespace

Command run_engine_command() {
  auto options = std::make_shared<RunEngineOptions>();
  Command command{"engine", "Run the engine of a pipeline run in a pod; used by the job of --in-cluster"};
  command.takes("NAME", options->names, "the run's name", 1, 1);
  command.option("--schedule", "SCHEDULE", options->schedule, "start a run of this schedule");
  command.option("--commit", "COMMIT", options->commit,
                 "of this commit, whose files are in the current folder");
  command.option("-p,--param", "NAME=VALUE", options->params, "a parameter of the pipeline")
      .details("Set a parameter of the pipeline. May be repeated.");
  command.run = [options](Context& context) { return run_run_engine(context, *options); };
  command.hidden = true;
  return command;
}

}  // namespace kml::cli
