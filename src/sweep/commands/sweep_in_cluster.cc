#include "sweep/commands/sweep_in_cluster.h"

#include "job/submit/gangs.h"
#include "kml/base/text.h"
#include "kml/engine/in_cluster/stop_request.h"
#include "kml/job/submit/submit_record.h"
#include "kml/kube/objects/labels.h"
#include "kml/sweep/journal/journal.h"
#include "sweep/commands/sweep_selection.h"
#include "sweep/runner/sweep_engine.h"

namespace kml::cli {

namespace {

constexpr const char* kCodeKey = "code";
constexpr const char* kResumeKey = "resume";

ClusterSweep sweep_of(ClusterEngine engine) {
  return {{engine.marks.name, engine.marks.id, engine.marks.namespace_name}, std::move(engine.object)};
}

void start(Context& context, const ClusterSweep& sweep, const engine::EngineOptions& options) {
  const Json trial = sweep.document().at("spec").at("trialTemplate").at("trialSpec");
  std::vector<std::string> notes;
  const bool are_gangs = job::needs_pod_groups(context.client(), {trial}, sweep.marks.namespace_name, notes);
  for (const std::string& note : notes) context.note(note);
  start_engine(context, sweep.engine(), options,
               sweep::sweep_engine(sweep.marks, context.client().kind_of(trial), are_gangs));
}

/// The sweep's document with the new spec. The caller must have checked that the change is allowed.
Json new_document(const ClusterSweep& sweep, const sweep::SweepSpec& spec) {
  const Json before = sweep.document();
  require_same_space(spec.name, before, spec.document);
  return sweep::continued(before, spec.document);
}

}  // namespace

ClusterEngine ClusterSweep::engine() const {
  return {sweep::engine_marks(marks), object};
}

Json ClusterSweep::code() const {
  const Json code = Json::parse(string_at(object, {"data", kCodeKey}), nullptr, false);
  return code.is_object() ? code : Json();
}

std::optional<ClusterSweep> find_cluster_sweep(Context& context, const std::string& name) {
  auto engine = find_cluster_engine(context, sweep::engine_marks({name, "", ""}));
  return engine ? std::optional(sweep_of(std::move(*engine))) : std::nullopt;
}

std::optional<ClusterSweep> find_only_in_cluster(Context& context, const std::string& name) {
  return has_begun(name) ? std::nullopt : find_cluster_sweep(context, name);
}

std::vector<ClusterSweep> cluster_sweeps(Context& context) {
  std::vector<ClusterSweep> sweeps;
  for (ClusterEngine& engine : cluster_engines(context, sweep::engine_marks({})))
    sweeps.push_back(sweep_of(std::move(engine)));
  return sweeps;
}

void read_cluster_sweep(Context& context, const ClusterSweep& sweep,
                        const std::function<void(const sweep::Record& record)>& take) {
  sweep::read_records(journal_so_far(context, sweep.engine()), "the journal's copy", take);
}

std::string journal_in_words(const ClusterSweep& sweep) {
  return journal_in_words(sweep.engine(), {"sweeps/" + sweep.marks.name});
}

namespace {

void require_small_sweep(const Json& document) {
  const size_t earlier = document.at("spec").value("warmStart", Json()).dump().size();
  require_small(
      document, "sweep",
      2 * earlier > document.dump().size() ? ", most of it the results of earlier sweeps," : "",
      "use fewer earlier results (--warm-start), or run the sweep from this machine, without --in-cluster");
}

/// The diff would be too large for the object.
void add_code(Context& context, ClusterSweep& sweep, Json code) {
  if (!code.is_object()) return;
  if (code.contains("git")) code["git"] = job::without_diff(code["git"]);
  sweep.object = change_data(context, sweep.engine(), {{kCodeKey, compact_text(code)}});
}

}  // namespace

void run_in_cluster(Context& context, const sweep::SweepSpec& spec, const InClusterFlags& flags,
                    const std::vector<job::Belonging>& secrets, const std::function<Json()>& code) {
  const engine::EngineOptions options = engine_options(flags, "sweep");
  auto sweep = find_cluster_sweep(context, spec.name);
  const bool is_new = !sweep;
  if (sweep) {
    require_idle_engine(context, sweep->engine());
    if (secrets.empty()) sweep::require_sweep_secrets(context.client(), sweep->marks, spec.trial);
    const Json document = new_document(*sweep, spec);
    require_small_sweep(document);
    sweep->object = renew_cluster_engine(context, sweep->engine(), document, options);
  } else {
    require_small_sweep(spec.document);
    const sweep::SweepMarks marks{spec.name, random_hex(8), context.target().namespace_name};
    sweep = sweep_of(make_cluster_engine(context, sweep::engine_marks(marks), spec.document, options));
  }
  try {
    if (is_new) add_code(context, *sweep, code());
    sweep::make_sweep_secrets(context.client(), sweep->marks, secrets);
    start(context, *sweep, options);
  } catch (const Error&) {
    if (is_new) sweep::remove_sweep_object(context.client(), sweep->marks);
    throw;
  }
}

void resume_in_cluster(Context& context, const ClusterSweep& sweep) {
  require_idle_engine(context, sweep.engine());
  sweep::require_sweep_secrets(context.client(), sweep.marks, sweep.document());
  // The new value shows readers of the sweep's object that the sweep was resumed.
  change_data(context, sweep.engine(), {{engine::StopRequest::kKey, nullptr}, {kResumeKey, random_hex(8)}});
  start(context, sweep, sweep.engine().options());
}

void stop_in_cluster(Context& context, const ClusterSweep& sweep, sweep::StopWish wish) {
  change_data(context, sweep.engine(), {{engine::StopRequest::kKey, sweep::text_of(wish)}});
  if (!engine_runs(context, sweep.engine())) start(context, sweep, sweep.engine().options());
}

}  // namespace kml::cli
