#include "pipeline/commands/run_in_cluster.h"

#include <algorithm>
#include <utility>

#include "job/commands/lost_pods_note.h"
#include "job/submit/gangs.h"
#include "kml/base/text.h"
#include "kml/engine/in_cluster/stop_request.h"
#include "kml/job/control/control.h"
#include "kml/job/views/find.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/pipeline/engine/runs.h"
#include "kml/sweep/runner/sweep_objects.h"
#include "pipeline/runner/run_files.h"

namespace kml::cli {

namespace {

engine::EngineMarks run_marks(const std::string& name, const std::string& id = {},
                              const std::string& namespace_name = {}) {
  return {"run", std::string(api::kRun), name, id, namespace_name};
}

/// Older runs have a single text, because they could not have several Secrets with variables.
std::vector<std::string> texts_of(const Json& list) {
  if (list.is_string()) {
    const auto text = list.get<std::string>();
    return text.empty() ? std::vector<std::string>() : std::vector{text};
  }
  return list.is_array() ? list.get<std::vector<std::string>>() : std::vector<std::string>();
}

engine::EngineProgram program_of(const ClusterEngine& run) {
  const Json how = object_at(run.document(), {RunDocument::kProgram});
  engine::EngineProgram program =
      pipeline::run_engine_program(run.marks, texts_of(how.value("kinds", Json())));
  program.files = texts_of(how.value("files", Json()));
  program.variables = texts_of(how.value("variables", Json()));
  if (const Json& git = object_at(how, {"git"}); !git.empty()) {
    program.command = texts_of(how.value("command", Json()));
    program.git = engine::git_access_from_json(git);
  }
  return program;
}

/// The engine reads results in the bucket, and uses the steps' keys for that.
void add_secrets_of_steps(const PipelineHere& here, const Json& params, engine::EngineProgram& program) {
  std::vector<spec::Setting> settings = here.known_settings(params);
  settings.insert(settings.end(), here.defaults().settings.begin(), here.defaults().settings.end());
  for (const spec::Setting& setting : settings)
    if (setting.name == "env-from" &&
        std::ranges::find(program.variables, setting.value) == program.variables.end())
      program.variables.push_back(setting.value);
}

}  // namespace

std::optional<ClusterEngine> find_cluster_run(Context& context, const std::string& name) {
  return find_cluster_engine(context, run_marks(name));
}

std::vector<ClusterEngine> cluster_runs(Context& context) {
  return cluster_engines(context, run_marks(""));
}

pipeline::RunState state_of_run(Context& context, const ClusterEngine& run) {
  pipeline::RunState state;
  const pipeline::TakeRecord take = [&](const pipeline::Record& record) { state.apply(record); };
  engine::read_lines(engine::read_journal_copy(context.client(), run.marks), "the journal's copy",
                     engine::as_records(take));
  if (state.is_empty()) state.apply(first_record_in(run.document()));
  return state;
}

void require_fit_for_cluster(const pipeline::Pipeline& pipeline) {
  for (const pipeline::Step& step : pipeline.steps)
    if (step.name == "engine")
      throw usage_error("a step cannot be named \"engine\" with --in-cluster",
                        "the job of the run's engine has that name", "give the step another name");
}

Json run_document(const PipelineHere& here, const pipeline::record::Run& record, const Json& inputs,
                  const std::vector<std::string>& kinds, const engine::EngineProgram& program) {
  Json how = {{"kinds", kinds}, {"files", program.files}, {"variables", program.variables}};
  if (program.git) {
    how["command"] = program.command;
    how["git"] = engine::to_json(*program.git);
  }
  Json document = {{RunDocument::kRecord, to_json(pipeline::Record{system_clock().now(), record})},
                   {RunDocument::kDefaults, pipeline::to_json(here.defaults())},
                   {RunDocument::kFolder, std::filesystem::current_path().string()},
                   {RunDocument::kTrusted, here.is_trusted()},
                   {RunDocument::kInputs, inputs},
                   {RunDocument::kProgram, std::move(how)}};
  require_small(document, "pipeline", "", "leave --in-cluster out");
  return document;
}

engine::EngineOptions run_engine_options(InClusterFlags flags, const std::string& store) {
  if (flags.volume.empty() && store.starts_with("pvc/")) flags.volume = store + "/engine";
  return engine_options(flags, "run");
}

std::vector<std::string> kinds_of_steps(Context& context, const PipelineHere& here, const Json& params) {
  const std::vector<Json> objects = here.sample_objects(params);
  std::vector<std::string> kinds = pipeline::kinds_of(objects), notes;
  if (job::needs_pod_groups(context.client(), objects, context.target().namespace_name, notes))
    kinds.emplace_back(job::kPodGroups);
  for (const std::string& note : notes) context.note(note);
  return kinds;
}

RunToSend run_to_send(Context& context, const PipelineHere& here, const engine::EngineMarks& marks,
                      const pipeline::record::Run& record) {
  const std::vector<std::string> kinds = kinds_of_steps(context, here, record.params);
  const Json inputs = here.outside_inputs(record.params);
  const pipeline::RunFiles files =
      pipeline::pack_run_files(here.samples(), here.defaults(), here.known_settings(record.params), inputs);
  engine::EngineProgram program = pipeline::run_engine_program(marks, kinds);
  std::vector<Json> secrets = pipeline::file_secrets(files, marks.name, program);
  if (pipeline::is_s3_store(record.store)) add_secrets_of_steps(here, record.params, program);
  Json document = run_document(here, record, inputs, kinds, program);
  return {std::move(document), std::move(secrets), std::move(program)};
}

pipeline::Record first_record_in(const Json& document) {
  auto record = object_at(document, {RunDocument::kRecord}).get<pipeline::Record>();
  if (!std::holds_alternative<pipeline::record::Run>(record.what))
    throw pipeline::broken_journal("the first record is not that of a run");
  return record;
}

ClusterEngine make_cluster_run(Context& context, const Json& document, const engine::EngineOptions& options) {
  const pipeline::Record first = first_record_in(document);
  const auto& run = std::get<pipeline::record::Run>(first.what);
  const engine::EngineMarks marks = run_marks(run.name, run.id, context.target().namespace_name);
  return make_cluster_engine(context, marks, document, options);
}

void run_in_cluster(Context& context, const PipelineHere& here, const pipeline::record::Run& record,
                    const engine::EngineOptions& options) {
  const engine::EngineMarks marks = run_marks(record.name, record.id, context.target().namespace_name);
  const RunToSend sent = run_to_send(context, here, marks, record);
  const ClusterEngine run = make_cluster_run(context, sent.document, options);
  try {
    for (const Json& secret : sent.secrets) engine::make_owned(context.client(), marks, run.object, secret);
    start_engine(context, run, options, sent.program);
  } catch (const Error&) {
    engine::remove_engine_object(context.client(), marks);
    throw;
  }
}

/// However often its pod is replaced, the engine retries failed steps once for each request.
void resume_in_cluster(Context& context, const ClusterEngine& run) {
  require_idle_engine(context, run);
  change_data(context, run, {{engine::StopRequest::kKey, nullptr}, {RunDocument::kResume, random_hex(8)}});
  start_engine(context, run, run.options(), program_of(run));
}

void stop_in_cluster(Context& context, const ClusterEngine& run) {
  change_data(context, run, {{engine::StopRequest::kKey, "now"}});
  if (!engine_runs(context, run)) start_engine(context, run, run.options(), program_of(run));
}

namespace {

/// The names of the sweeps that steps of the run started.
std::vector<std::string> sweeps_of(Context& context, const ClusterEngine& run) {
  const pipeline::RunState state = state_of_run(context, run);
  std::vector<std::string> sweeps;
  for (const pipeline::Step& step : pipeline::pipeline_of(state).steps)
    if (const std::string& sweep = state.step(step.name).job; is_sweep(step) && !sweep.empty())
      sweeps.push_back(sweep);
  return sweeps;
}

/// Deletes a sweep's objects. Finds them by their labels, because the id of the sweep is in its journal on
/// the volume.
void delete_sweep(Context& context, const std::string& namespace_name, const std::string& sweep) {
  const std::string own = std::string(api::kSweep) + "=" + sweep;
  const std::vector<Json> jobs = job::list_jobs(context.client(), namespace_name, own);
  note_lost_pods(context, "sweep " + sweep, jobs);
  for (const Json& job : jobs) job::remove(context.client(), job);
  if (const auto object = sweep::find_sweep_object(context.client(), namespace_name, sweep))
    sweep::remove_sweep_object(context.client(),
                               {sweep, api::label_of(*object, api::kSubmitId), namespace_name});
}

}  // namespace

void delete_in_cluster(Context& context, const ClusterEngine& run) {
  require_idle_engine(context, run);
  std::vector<std::string> folders;
  for (const std::string& sweep : sweeps_of(context, run)) {
    delete_sweep(context, run.marks.namespace_name, sweep);
    folders.push_back("sweeps/" + sweep);
  }
  const std::string own = std::string(api::kSubmitId) + "=" + run.marks.id;
  const std::vector<Json> jobs = job::list_jobs(context.client(), run.marks.namespace_name, own);
  note_lost_pods(context, "run " + run.marks.name, jobs);
  for (const Json& job : jobs) job::remove(context.client(), job);
  engine::remove_engine_object(context.client(), run.marks);
  const std::string name = run.marks.name;
  folders.insert(folders.end(), {"runs/" + name, "artifacts/data/" + name});
  context.note(journal_in_words(run, folders));
}

}  // namespace kml::cli
