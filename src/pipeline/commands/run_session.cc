#include "pipeline/commands/run_session.h"
#include "pipeline/commands/submit_data.h"

#include <algorithm>
#include <ostream>

#include "cli/retry_notes.h"
#include "job/commands/submit_request.h"
#include "kml/base/agent.h"
#include "kml/base/flag_errors.h"
#include "kml/base/text.h"
#include "kml/job/render/render.h"
#include "kml/job/spec/submit_spec.h"
#include "kml/job/spec/trust.h"
#include "kml/pipeline/engine/runs.h"
#include "kml/pipeline/store/shared_store.h"
#include "pipeline/commands/agents_pipeline.h"
#include "pipeline/commands/run_metrics.h"
#include "pipeline/commands/run_planned.h"
#include "pipeline/commands/run_view.h"
#include "pipeline/language/fill_step.h"
#include "pipeline/runner/filled_here.h"
#include "pipeline/runner/trust.h"
#include "pipeline/runner/written_paths.h"
#include "sweep/commands/sweep_selection.h"
#include "sweep/commands/sweep_session.h"

namespace kml::cli {

namespace {

/// The store in --store pvc/NAME; empty for any other kind of store.
std::optional<pipeline::ClaimStore> claim_store(Context& context, const std::string& text) {
  if (text.empty() || pipeline::is_s3_store(text)) return {};
  if (context.place().is_local)
    throw usage_error("--store " + text + " is for clusters", "steps on this machine share files on its disk",
                      "leave out --store, name a bucket (s3://BUCKET), or choose a cluster with --context");
  pipeline::ClaimStore store = pipeline::parse_claim_store(text);
  store.target = context.place().context + "/" + context.place().namespace_name;
  return store;
}

/// The store in --store s3://BUCKET; null for any other kind of store.
std::unique_ptr<pipeline::S3Store> shared_store(const std::string& text, const pipeline::LocalStore& store) {
  if (!pipeline::is_s3_store(text)) return nullptr;
  return pipeline::open_s3_store(text, store);
}

/// The pipeline, with one sample step for each foreach whose steps are not known yet. In a compiled pipeline,
/// the steps of such a loop cannot be sampled.
pipeline::Pipeline sampled(const pipeline::Pipeline& pipeline) {
  if (!pipeline.with_items) return pipeline;
  Json items = Json::object();
  for (const pipeline::Step& step : pipeline.steps)
    if (step.items && !step.item.empty()) items[step.name] = Json::array({step.item});
  pipeline::Pipeline result = pipeline.with_items(items);
  result.folder = pipeline.folder;
  return result;
}

bool is_of_object(const pipeline::Step& step) {
  return step.program && step.program->is_of_object();
}

/// Values for the placeholders in a step, to be used while no output exists.
render::Scope sample_scope(const pipeline::Step& step, const Json& params) {
  Json in = Json::object(), out = Json::object();
  for (const pipeline::Input& input : step.inputs)
    in[input.name] = input.is_list ? Json::array({"input"}) : Json("input");
  for (const pipeline::Output& output : step.outputs) out[output.name] = "output";
  return {{"params", params},
          {"in", in},
          {"out", out},
          {"item", step.item},
          {"run",
           {{"name", "run"},
            {"status", name_of(pipeline::Outcome::succeeded)},
            {"scheduled", "2026-01-01T03:00:00Z"}}},
          {"step", {{"name", step.name}}}};
}

pipeline::Pipeline in_folder(pipeline::Pipeline pipeline, const std::filesystem::path& folder) {
  pipeline.folder = folder;
  return pipeline;
}

/// Whether all values in the step are known before any step has run.
bool is_known_before(const pipeline::Pipeline& pipeline, const pipeline::Step& step) {
  const bool is_sample = pipeline.find(step.group) != nullptr;  // a sample step of a foreach
  bool is_known = true;
  render::each_placeholder(step.settings, [&](const std::string& name, const yaml::Node&) {
    is_known = is_known && !name.starts_with("in.") && !name.starts_with("out.") &&
               (!is_sample || !name.starts_with("item."));
  });
  return is_known;
}

bool is_trusted_here(const std::filesystem::path& file, const pipeline::Pipeline& pipeline) {
  return spec::trust_records().state_of(file, pipeline.text) == spec::TrustRecords::State::trusted;
}

/// For the run of a submitted job, the flags of its submit.
SubmitFlags flags_in(const pipeline::record::Run& head) {
  SubmitFlags flags;
  flags.fetches_data = head.is_job;
  for (const Json& setting : head.settings)
    flags.settings.push_back({string_at(setting, {"name"}),
                              string_at(setting, {"value"}),
                              {spec::Source::flag, "--" + string_at(setting, {"name"})}});
  return flags;
}

pipeline::StepDefaults defaults_of(Context& context, const pipeline::record::Run& head) {
  job::SubmitRequest request = submit_request(context, flags_in(head));
  return {std::move(request.settings), std::move(request.template_folders), false};
}

/// In inputs that are on the claim, sets the target to this process's name for the cluster: the engine's pod
/// reaches the cluster in a different way than the machine that sent the inputs.
Json at_target(Json inputs, const std::optional<pipeline::ClaimStore>& claim) {
  for (Json& input : inputs)
    if (claim && pipeline::is_on_volume(input)) input["target"] = claim->target;
  return inputs;
}

}  // namespace

PipelineHere::PipelineHere(Context& context, const std::filesystem::path& file,
                           const pipeline::Pipeline& pipeline, const pipeline::record::Run& head)
    : PipelineHere(context, file, pipeline, head.store, defaults_of(context, head),
                   head.is_job || is_trusted_here(file, pipeline)) {}

PipelineHere::PipelineHere(Context& context, std::filesystem::path file, pipeline::Pipeline pipeline,
                           const std::string& store, pipeline::StepDefaults defaults, bool is_trusted,
                           Json given)
    : context_(context),
      file_(std::move(file)),
      pipeline_(in_folder(std::move(pipeline), file_.parent_path())),
      samples_(sampled(pipeline_)),
      store_(pipeline::local_store()),
      claim_(claim_store(context, store)),
      shared_(shared_store(store, store_)),
      defaults_(std::move(defaults)),
      is_trusted_(is_trusted),
      surroundings_(store_, file_, defaults_.settings, defaults_.template_folders, context.place().is_local),
      data_(context),
      cache_(
          pipeline_, store_, system_clock(),
          [this](const pipeline::Step& step) {
            pipeline::KeyParts parts = surroundings_.of(step, written_paths(pipeline_, step));
            parts.merge(data_.parts_of(step, defaults_.settings));
            return parts;
          },
          [this](const Json& made) { return is_there(made); }, shared_.get(),
          at_target(std::move(given), claim_)) {}

/// Only a pod can read files on a claim, so kml-step checks them in the pod before they are used. With a
/// claim, files on this machine are only used as inputs that no step makes.
bool PipelineHere::is_there(const Json& made) const {
  if (pipeline::is_on_volume(made))
    return claim_ && string_at(made, {"target"}) == claim_->target &&
           string_at(made, {"path"}).starts_with("pvc/" + claim_->claim + "/");
  if (claim_) return !made.contains("kind") && is_here(made);
  return is_in_bucket(made) || is_here(made);
}

bool PipelineHere::is_here(const Json& made) const {
  // If a file is in the bucket, pods only read it there.
  if (!context_.place().is_local && shared_ && string_at(made, {"store"}) == shared_->name()) return false;
  return store_.has(string_at(made, {"path"}), string_at(made, {"digest"}));
}

/// Whether the bucket has the files that a step would read. On this machine, a step reads a file at its path
/// if the file has changed, so the bucket is not considered then.
bool PipelineHere::is_in_bucket(const Json& made) const {
  if (!shared_ || string_at(made, {"store"}) != shared_->name()) return false;
  if (!context_.place().is_local) return shared_->has(made);
  std::error_code none;
  return !exists(std::filesystem::symlink_status(string_at(made, {"path"}), none)) && shared_->has(made);
}

void PipelineHere::require_trust(std::vector<spec::Setting> settings) const {
  if (is_trusted_) return;
  spec::UsersOwn own = context_.own_templates();
  own.runs_files_command = true;
  pipeline::require_trust({file_, pipeline_.file, pipeline_.text}, samples_, std::move(settings), own,
                          context_.place().is_local);
}

void PipelineHere::check(const Json& params) const {
  const auto imports_file = [](const pipeline::Step& step) {
    return step.program && step.program->is_import() &&
           std::any_of(step.inputs.begin(), step.inputs.end(),
                       [](const pipeline::Input& input) { return !input.path.empty(); });
  };
  if (claim_ && std::any_of(samples_.steps.begin(), samples_.steps.end(), imports_file))
    throw not_together("an importer", "--store", "kml cannot copy the importer's file to a volume",
                       "leave out --store, or give the file as {path: FILE}");
  refuse_off_claim();
  refuse_inputs_of_kml();
  require_files_of_tasks();
  require_agents_inputs(context_, samples_);
  require_trust(known_settings(params));
}

std::vector<spec::Setting> PipelineHere::known_settings(const Json& params) const {
  std::vector<spec::Setting> settings;
  Error error = usage_error("invalid pipeline " + pipeline_.file);
  for (const pipeline::Step& step : samples_.steps) try {
      if (step.items || is_of_object(step)) continue;
      auto filled = pipeline::fill(step, pipeline_.file, sample_scope(step, params),
                                   context_.place().is_local ? pipeline::Where::here : pipeline::Where::pod);
      settings.insert(settings.end(), filled.settings.begin(), filled.settings.end());
      settings.insert(settings.end(), filled.uses.begin(), filled.uses.end());
      if (!is_known_before(samples_, step)) continue;
      pipeline::make_absolute(filled.settings, file_.parent_path());
      require_agents_secrets(spec::parse_settings(filled.settings, filled.command));
    } catch (const Error& problem) {
      if (problem.problems.empty()) throw;
      error.problems.insert(error.problems.end(), problem.problems.begin(), problem.problems.end());
    }
  if (!error.problems.empty()) throw error;
  return settings;
}

Json PipelineHere::outside_inputs(const Json& params) const {
  Json known = Json::object();
  for (const pipeline::Step& step : samples_.steps) {
    pipeline::StepJob job{"step", &step, sample_scope(step, params)};
    for (const pipeline::Input& input : step.inputs)
      if (input.is_outside() && !known.contains(input.text()) && (claim_ || !input.artifact.empty()))
        job.inputs[input.text()] = cache_.outside(input);
    if (job.inputs.empty()) continue;
    if (claim_)
      job.inputs = pipeline::send_inputs(context_.client(), runner_options("run", "id"), samples_, job);
    known.update(job.inputs);
  }
  return known;
}

std::vector<StepSample> PipelineHere::step_samples(const Json& params) const {
  const pipeline::StepRunnerOptions options = runner_options("run", "id");
  std::vector<StepSample> samples;
  for (const pipeline::Step& step : samples_.steps) {
    if (step.items) continue;
    StepSample& sample = samples.emplace_back(StepSample{&step, {}});
    if (is_of_object(step)) {
      sample.objects = {{{"apiVersion", "v1"}, {"kind", "PersistentVolumeClaim"}}};
    } else if (is_serve(step)) {
      sample.objects = {{{"apiVersion", "apps/v1"}, {"kind", "Deployment"}},
                        {{"apiVersion", "v1"}, {"kind", "Service"}}};
    } else
      try {
        pipeline::StepJob job{"step", &step, sample_scope(step, params)};
        pipeline::StepObjects made = pipeline::step_objects(options, samples_, job);
        sample.packages = std::move(made.packages);
        sample.objects.push_back(std::move(made.job));
        std::move(made.others.begin(), made.others.end(), std::back_inserter(sample.objects));
      } catch (const Error& error) {
        // other usage errors may be due to values that are known only during the run
        if (error.code != ErrorCode::usage || error.reason == kRefusedToAgent) throw;
      }
  }
  return samples;
}

/// If the objects of a step cannot be rendered yet, a Job is used as an example, because most steps are Jobs.
std::vector<Json> PipelineHere::sample_objects(const Json& params) const {
  std::vector<Json> objects = {{{"apiVersion", "batch/v1"}, {"kind", "Job"}}};
  for (StepSample& sample : step_samples(params))
    std::move(sample.objects.begin(), sample.objects.end(), std::back_inserter(objects));
  return objects;
}

/// If the store is a volume, steps write their outputs to it directly, so throws Error for an output
/// elsewhere.
void PipelineHere::refuse_off_claim() const {
  for (const pipeline::Step& step : samples_.steps)
    for (const pipeline::Output& output : step.outputs)
      if (claim_ && is_tree(output.kind) && !output.path.empty())
        throw usage_error(
            "output " + output.name + " of step " + step.name + " cannot have a path with --store",
            "the command must write the output directly to the volume",
            "leave out the path, and let the command write to ${out." + output.name + "}");
}

/// A file that -p names for a compiled pipeline must exist before the run, because no task can make it. The
/// file of an importer may be missing if a condition skips the importer.
void PipelineHere::require_files_of_tasks() const {
  std::error_code none;
  for (const pipeline::Step& step : samples_.steps)
    for (const pipeline::Input& input : step.inputs)
      if (step.program && !step.program->is_import() && !input.path.empty() &&
          !std::filesystem::exists(pipeline_.folder / input.path, none))
        cache_.outside(input);  // says why the file cannot be read, unless the store has it already
}

/// Sweeps and served models are commands of kml. Their pods have no kml-step that could fetch files.
void PipelineHere::refuse_inputs_of_kml() const {
  if (context_.place().is_local || claim_) return;
  const auto is_of_tree = [&](const pipeline::Source& source) {
    const pipeline::Step* maker = samples_.find(source.step);
    const pipeline::Output* output = maker ? maker->find_output(source.output) : nullptr;
    return output && is_tree(output->kind);
  };
  const auto is_tree_of_others = [&](const pipeline::Input& input) {
    if (input.is_outside()) return cache_.outside(input).contains("digest");
    return std::any_of(input.sources.begin(), input.sources.end(), is_of_tree);
  };
  for (const pipeline::Step& step : samples_.steps)
    for (const pipeline::Input& input : step.inputs)
      if ((is_sweep(step) || is_serve(step)) && is_tree_of_others(input))
        throw usage_error("step " + step.name + " cannot read its input " + input.name + " on this cluster",
                          std::string("the pods of a ") + (is_sweep(step) ? "sweep" : "served model") +
                              " read files only from a volume" + (shared_ ? ", not from a bucket" : ""),
                          "keep the run's files on a volume: --store pvc/NAME");
}

pipeline::StepRunnerOptions PipelineHere::runner_options(const std::string& run,
                                                         const std::string& id) const {
  pipeline::StepRunnerOptions options = {
      run,
      id,
      context_.target().namespace_name,
      context_.place().is_local,
      file_.parent_path(),
      defaults_.settings,
      defaults_.template_folders,
      defaults_.are_copied,
      claim_,
      shared_.get(),
      {},
      target_flags(context_.options()),
      [this](const std::vector<spec::Setting>& settings) { require_trust(settings); },
      retry_notes(context_)};
  options.pinned_data = [this](const std::string& data) { return data_.pinned(data); };
  options.nodes = [this] { return nodes_of(context_, true); };
  return options;
}

void require_target(Context& context, const pipeline::RunState& run) {
  const Json target = target_of(context);
  const Json& own = run.head().target;
  if (own.is_null() || own == target) return;
  const std::string where = string_at(own, {"context"}), space = string_at(own, {"namespace"});
  throw usage_error("run " + run.name() + " does not belong to context " + context.place().context +
                        ", namespace " + context.place().namespace_name,
                    "its jobs are in context " + where + ", namespace " + space,
                    "add --context " + where + " -n " + space);
}

int go_on(Context& context, PipelineHere& here, const std::string& run, pipeline::Journal& journal,
          const RunHooks& hooks) {
  pipeline::RunState state;
  journal.read([&](const pipeline::Record& record) { state.apply(record); });
  const job::Interrupt interrupt;
  pipeline::StepRunnerOptions options = here.runner_options(run, state.id());
  if (state.head().records) options.records_since = here.code_is_read_since();
  const auto runner =
      pipeline::make_step_runner(context.client(), std::move(options), here.steps(), here.store(), interrupt);
  RunView view(context, here.steps(), state);
  pipeline::Engine engine(journal, here.steps(), here.cache(), *runner, system_clock(),
                          {[&](const pipeline::Engine& now) {
                             view.show(now.state(), now.changed());
                             hooks.on_step(now);
                           },
                           hooks.stop_wish, !plan_of_begun_run(run).empty()});
  try {
    engine.run(owner());
  } catch (Error& error) {
    view.end();
    if (error.code != ErrorCode::interrupted) {
      error.fix += (error.fix.empty() ? "" : "; ") + ("`kml run resume " + run + "` then continues the run");
      throw;
    }
    context.note("running steps continue; `kml run resume " + run + "` continues the run, `kml run stop " +
                 run + "` ends it");
    return static_cast<int>(error.code);
  }
  view.end();
  return report_run(context, here.steps(), engine.state());
}

int go_on_here(Context& context, PipelineHere& here, const std::string& run, pipeline::Journal& journal,
               OnStep on_step) {
  const std::filesystem::path stop = pipeline::stop_file(run);
  const auto stop_wish = [&] {
    const bool is_stopping = std::filesystem::exists(stop);
    if (is_stopping) journal.use_last_space();
    return is_stopping;
  };
  const int code = go_on(context, here, run, journal, {stop_wish, std::move(on_step)});
  if (code == static_cast<int>(ErrorCode::interrupted)) return code;
  std::filesystem::remove(stop);
  record_metrics_of_run(context, pipeline::read_run(run), "run/" + run);
  return code;
}

}  // namespace kml::cli
