#include "engine/commands/cluster_engine.h"

#include <ostream>
#include <utility>

#include "job/commands/test_only.h"
#include "kml/base/text.h"
#include "kml/engine/in_cluster/one_node_volume.h"
#include "kml/engine/in_cluster/rights.h"
#include "kml/engine/in_cluster/stop_request.h"
#include "kml/job/submit/create.h"
#include "kml/job/submit/marks.h"
#include "kml/job/views/find.h"
#include "kml/job/views/kinds.h"
#include "kml/job/why/kueue_check.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/cron_job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/names.h"
#include "kml/kube/objects/object.h"

namespace kml::cli {

namespace {

constexpr const char* kOptions = "engine.json";

const api::ResourceKind& config_map() {
  return *api::find_kind("v1", "ConfigMap");
}

/// The command that acts on this engine: "kml sweep attach lr1".
std::string command_for(const engine::EngineMarks& marks, const char* verb) {
  return "kml " + marks.kind + " " + verb + " " + marks.name;
}

/// The job that runs the engine. If a schedule started the run, the run has the name of its first engine's
/// job.
std::optional<Json> engine_job(Context& context, const engine::EngineMarks& marks) {
  const api::ResourceKind& kind = *api::find_kind("batch/v1", "Job");
  const std::string& where = marks.namespace_name;
  if (auto job = context.client().get_if_exists(kind, where, engine::engine_name(marks.name))) return job;
  auto job = context.client().get_if_exists(kind, where, marks.name);
  return job && !api::label_of(*job, api::kSchedule).empty() ? job : std::nullopt;
}

/// Splits "pvc/runs/sweeps" into the claim and the folder.
std::pair<std::string, std::string> claim_in(const std::string& volume, const std::string& what) {
  constexpr std::string_view kClaim = "pvc/";
  const std::string path = volume.starts_with(kClaim) ? volume.substr(kClaim.size()) : "";
  const size_t slash = path.find('/');
  if (path.empty() || slash == 0)
    throw usage_error(volume.empty() ? "--in-cluster needs --journal-volume"
                                     : "--journal-volume " + volume + " is not a volume claim",
                      "the " + what + "'s journal must outlive the engine's pod",
                      "--journal-volume pvc/CLAIM[/FOLDER]; `kml list claims` lists the claims");
  return {path.substr(0, slash), slash == std::string::npos ? "" : path.substr(slash + 1)};
}

ClusterEngine engine_of(engine::EngineMarks marks, Json object) {
  marks.name = api::label_of(object, marks.label);
  marks.id = api::label_of(object, api::kSubmitId);
  return {std::move(marks), std::move(object)};
}

Json data_of(const engine::EngineMarks& marks, const Json& document, const engine::EngineOptions& options) {
  return {{kOptions, engine::to_json(options).dump()}, {marks.kind + ".json", document.dump()}};
}

/// If only one node can mount the claim, makes the engine's pod start on the same node as the pods of its
/// steps.
void keep_with_steps(Context& context, const engine::EngineMarks& marks, const std::string& claim,
                     Json& job) {
  const auto object = context.client().get_if_exists(*api::find_kind("v1", "PersistentVolumeClaim"),
                                                     marks.namespace_name, claim);
  if (object) engine::keep_on_one_node(*object, job["spec"]["template"]);
}

void make(Context& context, const ClusterEngine& engine, const Json& object) {
  try {
    engine::make_owned(context.client(), engine.marks, engine.object, object);
  } catch (const Error& error) {
    throw engine::with_rights_to_ask_for(error, object, "kml-" + engine.marks.kind + "(1)");
  }
}

}  // namespace

void add_in_cluster_flags(Command& command, InClusterFlags& flags, const InClusterDetails& details) {
  command
      .flag("--in-cluster", flags.in_cluster,
            "run the engine as a job in the cluster, so that you can shut this machine down")
      .details(details.in_cluster);
  command.option("--engine-image", "IMAGE", flags.image, "with --in-cluster: an image with kml")
      .details(details.image);
  command
      .option("--journal-volume", "pvc/CLAIM[/FOLDER]", flags.volume,
              "with --in-cluster: where to keep the journal")
      .details(details.volume);
  command
      .option("--engine-account", "NAME", flags.account,
              "with --in-cluster: an existing service account; by default, kml creates one, with a Role")
      .details(details.account);
}

void require_cluster(Context& context, const InClusterFlags& flags, const std::string& otherwise) {
  const bool any = !flags.image.empty() || !flags.volume.empty() || !flags.account.empty();
  if (any && !flags.in_cluster)
    throw usage_error("--engine-image, --journal-volume and --engine-account need --in-cluster");
  if (flags.in_cluster && context.place().is_local)
    throw usage_error("--in-cluster needs a cluster, but the target is this machine",
                      "pods of the embedded server are processes on this machine",
                      "pass --context NAME; " + otherwise);
}

engine::EngineOptions engine_options(const InClusterFlags& flags, const std::string& what) {
  const auto [claim, folder] = claim_in(flags.volume, what);
  engine::EngineOptions options = engine_options_without_journal(flags);
  options.claim = claim;
  options.sub_path = folder;
  return options;
}

engine::EngineOptions engine_options_without_journal(const InClusterFlags& flags) {
  if (flags.image.empty())
    throw usage_error("--in-cluster needs --engine-image", "the cluster runs kml from an image",
                      kEngineImageFix);
  return {flags.image, "", "", flags.account, api::to_dns_label(job::user_name())};
}

Json ClusterEngine::data(const std::string& key) const {
  return parse_json(string_at(object, {"data", key}),
                    key + " of ConfigMap " + engine::engine_object_name(marks));
}

engine::EngineOptions ClusterEngine::options() const {
  return engine::engine_options_from_json(data(kOptions));
}

std::optional<ClusterEngine> find_cluster_engine(Context& context, engine::EngineMarks marks) {
  if (context.place().is_local || !api::dns_label_problem(marks.name).empty()) return {};
  marks.namespace_name = context.target().namespace_name;
  auto object = engine::find_engine_object(context.client(), marks);
  if (!object || !find(*object, {"data", marks.kind + ".json"})) return {};
  return engine_of(std::move(marks), std::move(*object));
}

std::vector<ClusterEngine> cluster_engines(Context& context, engine::EngineMarks marks) {
  if (context.place().is_local) return {};
  marks.namespace_name = context.target().namespace_name;
  std::vector<ClusterEngine> engines;
  const kube::ListOptions options{.label_selector = engine::engine_label(marks) + "," + marks.label};
  for (Json& object : context.client().list(config_map(), marks.namespace_name, options).items)
    engines.push_back(engine_of(marks, std::move(object)));
  return engines;
}

ClusterEngine make_cluster_engine(Context& context, const engine::EngineMarks& marks, const Json& document,
                                  const engine::EngineOptions& options) {
  return {marks, engine::make_engine_object(context.client(), marks, data_of(marks, document, options),
                                            {{engine::engine_label(marks), marks.name}})};
}

Json renew_cluster_engine(Context& context, const ClusterEngine& engine, const Json& document,
                          const engine::EngineOptions& options) {
  Json data = data_of(engine.marks, document, options);
  data[engine::StopRequest::kKey] = nullptr;
  return change_data(context, engine, data);
}

void require_small(const Json& document, const std::string& what, const std::string& large,
                   const std::string& otherwise) {
  // A ConfigMap can hold 1 MiB of data; the rest is left for the engine's options.
  constexpr size_t kMost = 1'000'000;
  const size_t size = document.dump().size();
  if (size <= kMost) return;
  const auto kilobytes = [](size_t bytes) { return std::to_string(bytes / 1000) + " kB"; };
  throw usage_error(
      "the " + what + " is too large for the cluster",
      "it has " + kilobytes(size) + large + " and the limit of an object is " + kilobytes(kMost), otherwise);
}

Json change_data(Context& context, const ClusterEngine& engine, const Json& data) {
  return context.client().patch(config_map(), engine.marks.namespace_name,
                                engine::engine_object_name(engine.marks), kube::PatchType::merge,
                                {{"data", data}});
}

std::string journal_so_far(Context& context, const ClusterEngine& engine) {
  std::string text = engine::read_journal_copy(context.client(), engine.marks);
  if (text.empty())
    throw Error(ErrorCode::failure, engine.marks.kind + " " + engine.marks.name + " has not started",
                engine_in_words(context, engine),
                "`kml why " + engine_job_name(context, engine.marks) + "` shows the cause");
  return text;
}

std::string engine_in_words(Context& context, const ClusterEngine& engine) {
  const engine::EngineMarks& marks = engine.marks;
  const auto job = engine_job(context, marks);
  const std::string name = "engine: job " + (job ? api::name_of(*job) : engine::engine_name(marks.name));
  if (!job) return name + " was deleted; `" + command_for(marks, "resume") + "` creates it again";
  const job::PodsByJob pods(job::pods_of(context.client(), *job));
  job::JobView view = job::view_of_job(*job, pods.of(*job));
  job::KueueCheck(context.client()).correct(*job, view);
  return name + " " + job::in_words(view.state) + (view.cause.empty() ? "" : ": " + view.cause) +
         (job::has_ended(view.state) ? "; no engine is running: " + command_for(marks, "resume") : "");
}

std::string journal_in_words(const ClusterEngine& engine, const std::vector<std::string>& folders) {
  const engine::EngineOptions options = engine.options();
  const std::string volume =
      "pvc/" + options.claim + (options.sub_path.empty() ? "" : "/" + options.sub_path);
  std::string paths;
  for (const std::string& folder : folders) paths += " /journal/" + folder;
  return "its journal stays on " + volume + ", and no new " + engine.marks.kind +
         " with the same name can use the volume; to remove the journal: kml submit --image busybox "
         "--mount " +
         volume + ":/journal -- rm -r" + paths;
}

bool engine_runs(Context& context, const ClusterEngine& engine) {
  const auto job = engine_job(context, engine.marks);
  return job && !job::has_ended(job::state_of(*job, false));
}

void require_idle_engine(Context& context, const ClusterEngine& engine) {
  if (!engine_runs(context, engine)) return;
  const engine::EngineMarks& marks = engine.marks;
  throw Error(
      ErrorCode::failure, marks.kind + " " + marks.name + " is already running",
      "as job " + engine_job_name(context, marks) + " in namespace " + marks.namespace_name,
      "`" + command_for(marks, "attach") + "` shows it, `" + command_for(marks, "stop") + "` stops it");
}

std::string engine_job_name(Context& context, const engine::EngineMarks& marks) {
  const auto job = engine_job(context, marks);
  return job ? api::name_of(*job) : engine::engine_name(marks.name);
}

Json make_engine_parts(Context& context, const ClusterEngine& engine, const engine::EngineOptions& options,
                       const engine::EngineProgram& program) {
  std::vector<Json> objects = engine::engine_objects(engine.marks, options, program);
  Json job = std::move(objects.back());
  objects.pop_back();
  if (!options.claim.empty()) keep_with_steps(context, engine.marks, options.claim, job);
  for (const Json& object : objects) make(context, engine, object);
  return job;
}

void start_engine(Context& context, const ClusterEngine& engine, const engine::EngineOptions& options,
                  const engine::EngineProgram& program) {
  const engine::EngineMarks& marks = engine.marks;
  const Json job = make_engine_parts(context, engine, options, program);
  job::remove_and_wait(context.client(), marks.namespace_name, job);
  refuse_impossible(context, {job});  // checks that the account exists, and that the job's name is free
  make(context, engine, job);
  const std::string name = engine::engine_name(marks.name);
  context.streams().out << marks.kind << " " << marks.name << " is running in the cluster, as job " << name
                        << "\n";
  context.note("you can shut this machine down: `" + command_for(marks, "attach") + "` shows the " +
               marks.kind + ", `kml logs -f " + name + "` follows its engine, `" +
               command_for(marks, "stop") + "` stops it");
}

void LaggingCopy::update() {
  constexpr std::chrono::seconds kLag{2};
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kLag) return;
  last_ = now;
  try {
    copy_.update();
    has_failed_ = false;
  } catch (const Error& error) {
    if (!std::exchange(has_failed_, true))
      context_.note("the copy of the journal is out of date: " + error.message);
  }
}

}  // namespace kml::cli
