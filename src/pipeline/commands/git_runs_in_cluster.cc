#include "pipeline/commands/git_runs_in_cluster.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "job/submit/gangs.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/engine/in_cluster/one_node_volume.h"
#include "kml/kube/objects/cron_job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/resource.h"
#include "pipeline/commands/run_record.h"
#include "pipeline/commands/run_schedule.h"
#include "pipeline/commands/run_schedule_in_cluster.h"
#include "pipeline/file/parse_pipeline.h"
#include "pipeline/runner/run_files.h"

namespace kml::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kCheckout = "/kml/work/checkout";  // below engine::kEngineWork

/// The kinds of objects that steps may create by default: jobs and served models, and PodGroups if the
/// cluster makes gangs for this user. Steps with other kinds need an --engine-account.
std::vector<std::string> kinds_of_commits(Context& context) {
  std::vector<std::string> kinds = {"batch/jobs", "apps/deployments", "/services"}, notes;
  const Json gang = {{"apiVersion", "batch/v1"},
                     {"kind", "Job"},
                     {"metadata", {{"annotations", {{api::kGang, "true"}}}}},
                     {"spec", {{"parallelism", 2}, {"template", {{"spec", Json::object()}}}}}};
  if (job::needs_pod_groups(context.client(), {gang}, context.target().namespace_name, notes))
    kinds.emplace_back(job::kPodGroups);
  return kinds;
}

engine::EngineMarks marks_of_run(const std::string& run, const std::string& namespace_name) {
  return {"run", std::string(api::kRun), run, random_hex(8), namespace_name};
}

ClusterEngine schedule_named(Context& context, const std::string& name) {
  auto schedule = find_cluster_engine(context, schedule_marks(name, "", ""));
  if (!schedule || string_at(schedule->document(), {"repository"}).empty())
    throw usage_error("no schedule of commits " + name + " in namespace " + context.place().namespace_name,
                      "on a cluster, --once and the hook need an existing schedule",
                      "create the schedule: run the same command with --in-cluster instead of --once");
  return *std::move(schedule);
}

std::vector<std::string> command_of(const job::GitBranch& branch, const CommitToRun& commit) {
  std::vector<std::string> words = {"kml",        "run",           "engine",   commit.run,
                                    "--schedule", commit.schedule, "--commit", commit.commit};
  for (const std::string& param : commit.params) words.insert(words.end(), {"-p", param});
  return job::command_in_checkout(branch, commit.commit, kCheckout, words);
}

Json claim_of(Context& context, const ClusterEngine& schedule) {
  const api::ResourceKind& kind = *api::find_kind("v1", "PersistentVolumeClaim");
  const auto claim =
      context.client().get_if_exists(kind, schedule.marks.namespace_name, schedule.options().claim);
  return claim ? *claim : Json();
}

}  // namespace

void schedule_git_in_cluster(Context& context, const GitRuns& runs, const GitRunsThere& there,
                             std::vector<std::string> words, const spec::Timetable& timetable) {
  if (fs::path(runs.branch.repository).is_absolute())
    throw usage_error("the cluster cannot read " + runs.branch.repository, "it is a folder on this machine",
                      "pass the URL at which pods reach the repository");
  const engine::EngineMarks marks = schedule_marks(runs.name, random_hex(8), context.target().namespace_name);
  engine::EngineProgram program = pipeline::run_engine_program(marks, kinds_of_commits(context));
  program.rules.push_back(engine::rule("", "configmaps", {"list", "watch"}));  // of runs
  program.rules.push_back(engine::rule("batch", "cronjobs", {"get"}));
  words.insert(words.begin(), "kml");
  program.command = std::move(words);
  program.git = engine::GitAccess{runs.branch.repository, there.secret};
  Json document = engine::to_json(*program.git);
  document.update({{"branch", runs.branch.branch}, {"file", runs.file}, {"store", there.store}});
  make_schedule(context, marks,
                {.document = std::move(document),
                 .secrets = {},
                 .program = std::move(program),
                 .options = run_engine_options(there.engine, there.store),
                 .are_engines = false},
                timetable);
}

JobsOfCommits::JobsOfCommits(Context& context, const GitRuns& runs)
    : runs_(runs), schedule_(schedule_named(context, runs.name)), claim_(claim_of(context, schedule_)) {
  const Json document = schedule_.document();
  const std::string repository = string_at(document, {"repository"}),
                    branch = string_at(document, {"branch"}), file = string_at(document, {"file"});
  if (repository != runs.branch.repository || branch != runs.branch.branch || file != runs.file)
    throw usage_error("schedule " + runs.name + " runs " + file + " of " + repository + "#" + branch, "",
                      "give this schedule another name: --name NAME");
  const api::ResourceKind& kind = *api::find_kind("batch/v1", "CronJob");
  owner_ = api::owner_reference(context.client().get(kind, schedule_.marks.namespace_name, runs.name));
}

Json JobsOfCommits::job(const std::string& run, const std::string& commit) const {
  const engine::EngineMarks marks = marks_of_run(run, schedule_.marks.namespace_name);
  engine::EngineOptions options = schedule_.options();
  if (options.service_account.empty()) options.service_account = engine::engine_name(runs_.name);
  engine::EngineProgram program{command_of(runs_.branch, {runs_.name, run, commit, runs_.params}),
                                Json::array()};
  program.git = engine::git_access_from_json(schedule_.document());
  Json job = engine::engine_objects(marks, options, program).back();
  if (!claim_.is_null()) engine::keep_on_one_node(claim_, job["spec"]["template"]);
  tell_job_name(job);
  Json& metadata = job["metadata"];
  metadata["name"] = run;
  metadata["labels"].update(
      {{api::kManagedBy, "kml"}, {api::kSubmitId, marks.id}, {api::kSchedule, runs_.name}});
  metadata["ownerReferences"] = Json::array({owner_});
  return job;
}

ClusterEngine run_of_commit(Context& context, const CommitToRun& commit) {
  if (auto run = find_cluster_run(context, commit.run)) return *std::move(run);
  const ClusterEngine schedule = schedule_named(context, commit.schedule);
  const Json document = schedule.document();
  const std::string named = string_at(document, {"file"}), store = string_at(document, {"store"});
  const fs::path file = fs::weakly_canonical(named);
  if (!fs::is_regular_file(file)) throw usage_error("commit " + commit.commit + " has no file " + named);
  const pipeline::Pipeline parsed = pipeline::parse_pipeline(read_own_file(file), named);
  const Json params = pipeline::parameter_values(parsed, commit.params);
  const PipelineHere here(context, file, pipeline::expanded(parsed, params), {.store = store});
  here.check(params);
  require_fit_for_cluster(here.samples());
  pipeline::record::Run record = first_run_record(context, file, here.steps(), params, {}, store);
  record.name = commit.run;
  record.git = Json{{"commit", commit.commit}};
  const std::vector<std::string> kinds = kinds_of_steps(context, here, params);
  engine::EngineProgram program =
      pipeline::run_engine_program(marks_of_run(commit.run, schedule.marks.namespace_name), kinds);
  program.command =
      command_of({string_at(document, {"repository"}), string_at(document, {"branch"})}, commit);
  program.git = engine::git_access_from_json(document);
  ClusterEngine run = make_cluster_run(
      context, run_document(here, record, here.outside_inputs(params), kinds, program), schedule.options());
  if (const auto start = start_of_schedule(context)) delete_with_job(context, run, start->object);
  return run;
}

}  // namespace kml::cli
