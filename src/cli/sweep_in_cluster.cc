#include "cli/sweep_in_cluster.h"

#include <algorithm>
#include <ostream>

#include "cli/sweep_selection.h"
#include "cli/test_only.h"
#include "kml/api/labels.h"
#include "kml/api/names.h"
#include "kml/api/object.h"
#include "kml/core/text.h"
#include "kml/jobs/submit/create.h"
#include "kml/jobs/submit/marks.h"
#include "kml/jobs/sweep/journal_copy.h"
#include "kml/jobs/views/find.h"
#include "kml/jobs/views/kinds.h"
#include "kml/jobs/why/why.h"
#include "kml/sweep/journal/journal.h"

namespace kml::cli {

namespace {

constexpr const char* kDocument = "sweep.json";
constexpr const char* kOptions = "engine.json";

ClusterSweep sweep_of(const std::string& namespace_name, Json object) {
  return {{api::label_of(object, api::kSweep), api::label_of(object, api::kSubmitId), namespace_name},
          std::move(object)};
}

std::optional<Json> engine_job(Context& context, const jobs::SweepMarks& sweep) {
  return context.client().get_if_exists(*api::find_kind("batch/v1", "Job"), sweep.namespace_name,
                                        jobs::engine_name(sweep.name));
}

/// "pvc/runs/sweeps": the claim, and the folder.
std::pair<std::string, std::string> claim_in(const std::string& volume) {
  constexpr std::string_view kClaim = "pvc/";
  const std::string path = volume.starts_with(kClaim) ? volume.substr(kClaim.size()) : "";
  const size_t slash = path.find('/');
  if (path.empty() || slash == 0)
    throw usage_error(volume.empty() ? "--in-cluster needs --journal-volume"
                                     : "--journal-volume " + volume + " is not a volume claim",
                      "the sweep's journal must outlive the engine's pod",
                      "--journal-volume pvc/CLAIM[/FOLDER]; `kml list claims` lists the claims");
  return {path.substr(0, slash), slash == std::string::npos ? "" : path.substr(slash + 1)};
}

jobs::EngineOptions options_of(const InClusterFlags& flags) {
  const auto [claim, folder] = claim_in(flags.volume);
  if (flags.image.empty())
    throw usage_error("--in-cluster needs --engine-image", "the cluster runs kml from an image",
                      "examples/engine-image builds one; push it to a registry that the cluster can reach");
  return {flags.image, claim, folder, flags.account, api::to_dns_label(jobs::user_name())};
}

jobs::EngineOptions options_of(const ClusterSweep& sweep) {
  return jobs::engine_options_from_json(parse_json(string_at(sweep.object, {"data", kOptions}), kOptions));
}

}  // namespace

bool engine_runs(Context& context, const ClusterSweep& sweep) {
  const auto job = engine_job(context, sweep.marks);
  return job && !jobs::has_ended(jobs::state_of(*job, false));
}

namespace {

void make(Context& context, const ClusterSweep& sweep, const Json& object) {
  try {
    jobs::make_owned(context.client(), sweep.marks, sweep.object, object);
  } catch (const Error& error) {
    const bool is_right = api::api_version_of(object).starts_with("rbac.");
    if (!is_right || error.http_status != 403) throw;
    Error refused = error;
    refused.fix =
        "ask for the role \"admin\" there, or for an account with the rights that kml-sweep(1) "
        "names: --engine-account NAME";
    throw refused;
  }
}

void start_engine(Context& context, const ClusterSweep& sweep, const jobs::EngineOptions& options) {
  const Json trial = sweep.document().at("spec").at("trialTemplate").at("trialSpec");
  std::vector<Json> objects = jobs::engine_objects(sweep.marks, options, trial);
  const Json job = std::move(objects.back());
  objects.pop_back();
  for (const Json& object : objects) make(context, sweep, object);
  if (const auto old = engine_job(context, sweep.marks))
    jobs::remove_and_wait(context.client(), sweep.marks.namespace_name, *old);
  refuse_impossible(context, {job});  // now: its account has to be there, and no job of its name
  make(context, sweep, job);
  const std::string& name = sweep.marks.name;
  context.streams().out << "sweep " << name << " runs in the cluster, by job " << jobs::engine_name(name)
                        << "\n";
  context.note("you can shut this machine down: `kml sweep attach " + name +
               "` shows the sweep, `kml logs -f " + jobs::engine_name(name) +
               "` follows its engine, `kml sweep stop " + name + "` ends it");
}

/// With the sweep as it is now asked for; whether it may change was looked at.
Json new_document(const ClusterSweep& sweep, const sweep::SweepSpec& spec) {
  const Json before = sweep.document();
  require_same_space(spec.name, before, spec.document);
  return sweep::continued(before, spec.document);
}

Json change_data(Context& context, const ClusterSweep& sweep, const Json& data) {
  return context.client().patch(*api::find_kind("v1", "ConfigMap"), sweep.marks.namespace_name,
                                jobs::sweep_object_name(sweep.marks.name), kube::PatchType::merge,
                                {{"data", data}});
}

}  // namespace

Json ClusterSweep::document() const {
  return parse_json(string_at(object, {"data", kDocument}),
                    "ConfigMap " + jobs::sweep_object_name(marks.name));
}

std::optional<ClusterSweep> find_cluster_sweep(Context& context, const std::string& name) {
  if (context.place().is_local || !api::dns_label_problem(name).empty()) return {};
  const std::string& namespace_name = context.target().namespace_name;
  auto object = jobs::find_sweep_object(context.client(), namespace_name, name);
  if (!object || !find(*object, {"data", kDocument})) return {};
  return sweep_of(namespace_name, std::move(*object));
}

std::optional<ClusterSweep> find_only_in_cluster(Context& context, const std::string& name) {
  return has_begun(name) ? std::nullopt : find_cluster_sweep(context, name);
}

std::vector<ClusterSweep> cluster_sweeps(Context& context) {
  if (context.place().is_local) return {};
  std::vector<ClusterSweep> sweeps;
  const std::string& namespace_name = context.target().namespace_name;
  const kube::ListOptions engines{.label_selector =
                                      std::string(api::kSweepEngine) + "," + std::string(api::kSweep)};
  for (Json& object :
       context.client().list(*api::find_kind("v1", "ConfigMap"), namespace_name, engines).items)
    sweeps.push_back(sweep_of(namespace_name, std::move(object)));
  return sweeps;
}

void read_cluster_sweep(Context& context, const ClusterSweep& sweep,
                        const std::function<void(const sweep::Record& record)>& take) {
  const std::string text = jobs::read_journal_copy(context.client(), sweep.marks);
  if (text.empty())
    throw Error(ErrorCode::failure, "sweep " + sweep.marks.name + " has not started",
                engine_in_words(context, sweep),
                "`kml why " + jobs::engine_name(sweep.marks.name) + "` says more");
  sweep::read_records(text, "the journal's copy", take);
}

std::string engine_in_words(Context& context, const ClusterSweep& sweep) {
  const std::string name = "engine: job " + jobs::engine_name(sweep.marks.name);
  const auto job = engine_job(context, sweep.marks);
  if (!job) return name + " was deleted; `kml sweep resume " + sweep.marks.name + "` creates it again";
  const jobs::PodsByJob pods = jobs::list_pods(context.client(), sweep.marks.namespace_name,
                                               std::string(api::kSweepEngine) + "=" + sweep.marks.name);
  const jobs::JobView view = jobs::view_of_job(*job, pods.of(*job));
  return name + " " + jobs::in_words(view.state) + (view.cause.empty() ? "" : ": " + view.cause) +
         (jobs::has_ended(view.state) ? "; " + left_in_words(sweep.marks.name) : "");
}

std::string journal_in_words(const ClusterSweep& sweep) {
  const jobs::EngineOptions options =
      jobs::engine_options_from_json(parse_json(string_at(sweep.object, {"data", kOptions}), kOptions));
  const std::string volume =
      "pvc/" + options.claim + (options.sub_path.empty() ? "" : "/" + options.sub_path);
  return "its journal stays on " + volume +
         ", and no new sweep of that name can use the volume; to remove it: kml submit " +
         "--image busybox --mount " + volume + ":/journal -- rm -r /journal/sweeps/" + sweep.marks.name;
}

void require_idle_engine(Context& context, const ClusterSweep& sweep) {
  if (!engine_runs(context, sweep)) return;
  throw Error(ErrorCode::failure, "sweep " + sweep.marks.name + " is running already",
              "by job " + jobs::engine_name(sweep.marks.name) + " in namespace " + sweep.marks.namespace_name,
              "`kml sweep attach " + sweep.marks.name + "` shows it, `kml sweep stop " + sweep.marks.name +
                  "` ends it");
}

namespace {

/// Throws usage Error if no object can hold it.
std::string stored(const Json& document) {
  constexpr size_t kMost = 1'000'000;  // of 1 MiB (ConfigMap validation); the engine's options are in it too
  std::string text = document.dump();
  if (text.size() <= kMost) return text;
  const size_t earlier = document.at("spec").value("warmStart", Json()).dump().size();
  const auto kilobytes = [](size_t bytes) { return std::to_string(bytes / 1000) + " kB"; };
  throw usage_error(
      "the sweep is too large for the cluster",
      "it has " + kilobytes(text.size()) +
          (2 * earlier > text.size() ? ", most of it the results of earlier sweeps," : "") +
          " and the limit of an object is " + kilobytes(kMost),
      "use fewer earlier results (--warm-start), or run it from this machine, without --in-cluster");
}

}  // namespace

void run_in_cluster(Context& context, const sweep::SweepSpec& spec, const InClusterFlags& flags,
                    const std::vector<jobs::Belonging>& secrets) {
  const jobs::EngineOptions options = options_of(flags);
  Json data = {{kOptions, jobs::to_json(options).dump()}};
  auto sweep = find_cluster_sweep(context, spec.name);
  const bool is_new = !sweep;
  if (sweep) {
    require_idle_engine(context, *sweep);
    if (secrets.empty()) jobs::require_sweep_secrets(context.client(), sweep->marks, spec.trial);
    data.update({{kDocument, stored(new_document(*sweep, spec))}, {jobs::StopRequest::kKey, nullptr}});
    sweep->object = change_data(context, *sweep, data);
  } else {
    data[kDocument] = stored(spec.document);
    const jobs::SweepMarks marks{spec.name, random_hex(8), context.target().namespace_name};
    sweep = ClusterSweep{marks, jobs::make_sweep_object(context.client(), marks, data,
                                                        {{std::string(api::kSweepEngine), spec.name}})};
  }
  try {
    jobs::make_sweep_secrets(context.client(), sweep->marks, secrets);
    start_engine(context, *sweep, options);
  } catch (const Error&) {
    if (is_new) jobs::remove_sweep_object(context.client(), sweep->marks);
    throw;
  }
}

void resume_in_cluster(Context& context, const ClusterSweep& sweep) {
  require_idle_engine(context, sweep);
  jobs::require_sweep_secrets(context.client(), sweep.marks, sweep.document());
  change_data(context, sweep, {{jobs::StopRequest::kKey, nullptr}});
  start_engine(context, sweep, options_of(sweep));
}

void stop_in_cluster(Context& context, const ClusterSweep& sweep, sweep::StopWish wish) {
  change_data(context, sweep, {{jobs::StopRequest::kKey, sweep::text_of(wish)}});
  if (!engine_runs(context, sweep)) start_engine(context, sweep, options_of(sweep));
}

void require_cluster(Context& context, const InClusterFlags& flags) {
  const bool any = !flags.image.empty() || !flags.volume.empty() || !flags.account.empty();
  if (any && !flags.in_cluster)
    throw usage_error("--engine-image, --journal-volume and --engine-account need --in-cluster");
  if (flags.in_cluster && context.place().is_local)
    throw usage_error("--in-cluster needs a cluster, and the target is this machine",
                      "pods of the embedded server are processes of this machine",
                      "pass --context NAME; on this machine, --detach runs a sweep in the background");
}

void add_in_cluster_flags(Command& command, InClusterFlags& flags) {
  command.flag("--in-cluster", flags.in_cluster,
               "run the engine as a job of the cluster: you can shut this machine down");
  command.option("--engine-image", "IMAGE", flags.image, "for --in-cluster: an image with kml");
  command.option("--journal-volume", "pvc/CLAIM[/FOLDER]", flags.volume,
                 "for --in-cluster: where to keep the journal");
  command.option("--engine-account", "NAME", flags.account,
                 "for --in-cluster: an existing service account; by default one is created, with a Role");
}

}  // namespace kml::cli
