#include "pipeline/commands/git_runs.h"

#include <optional>
#include <ostream>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/process.h"
#include "kml/job/submit/belongings.h"
#include "kml/job/submit/create.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/resource.h"
#include "kml/pipeline/engine/runs.h"
#include "pipeline/commands/git_runs_in_cluster.h"
#include "pipeline/commands/run_schedule.h"

namespace kml::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kSource = "source";  ///< the key of the branch and the file
constexpr const char* kCommit = "commit";  ///< the key of the newest commit that was seen

const api::ResourceKind& note_kind() {
  return *api::find_kind("v1", "ConfigMap");
}

fs::path checkouts() {
  return state_folder() / "git";
}

std::string run_of(const GitRuns& runs, const std::string& commit) {
  return runs.name + "-" + commit.substr(0, kShownOfCommit);
}

/// The last commit that was seen; empty if there is none.
std::string seen_commit(const GitRuns& runs, const std::optional<Json>& note, const std::string& source) {
  if (!note) return "";
  if (const std::string other = string_at(*note, {"data", kSource}); other != source)
    throw usage_error("schedule " + runs.name + " runs the commits of " + other, "",
                      "give this schedule another name: --name NAME");
  return string_at(*note, {"data", kCommit});
}

/// Records the commit. The record is deleted with the schedule, if there is one.
void note_commit(Context& context, const GitRuns& runs, const std::optional<Json>& note,
                 const std::string& source, const std::string& commit) {
  const std::string &where = context.place().namespace_name, name = "kml-git-" + runs.name;
  const Json data = {{kSource, source}, {kCommit, commit}};
  kube::Client& client = context.client();
  if (note) {
    client.patch(note_kind(), where, name, kube::PatchType::merge, {{"data", data}});
    return;
  }
  Json metadata = {{"name", name}, {"namespace", where}, {"labels", {{std::string(api::kManagedBy), "kml"}}}};
  if (const auto schedule = client.get_if_exists(*api::find_kind("batch/v1", "CronJob"), where, runs.name))
    metadata["ownerReferences"] = Json::array({api::owner_reference(*schedule)});
  try {
    client.create(note_kind(), where,
                  {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", metadata}, {"data", data}});
  } catch (const Error& error) {
    // another kml process has written the record at the same time
    if (error.reason != "AlreadyExists") throw;
  }
}

/// The job, on this machine, for the run of this commit.
Json job_here(Context& context, const GitRuns& runs, const std::string& run, const std::string& commit) {
  std::vector<std::string> words = {own_executable().string(), "run", "./" + runs.file.string(), "--name",
                                    run};
  for (const std::string& param : runs.params) words.insert(words.end(), {"-p", param});
  return own_command_job(context, run,
                         job::command_in_checkout(runs.branch, commit, (checkouts() / run).string(), words));
}

/// Creates the job. Returns false if a job with that name exists.
bool create(Context& context, const Json& job) {
  try {
    job::create_once(context.client(), context.place().namespace_name, job);
    return true;
  } catch (const Error& error) {
    if (error.reason != "AlreadyExists") throw;
    return false;
  }
}

void remove_old_checkouts() {
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(checkouts(), none)) {
    const std::string run = entry.path().filename();
    if (pipeline::has_run(run) && pipeline::read_run(run).end() == pipeline::Outcome::succeeded)
      fs::remove_all(entry.path(), none);
  }
}

}  // namespace

int start_git_runs(Context& context, const GitRuns& runs) {
  const std::string newest = job::newest_commit(runs.branch),
                    source = runs.source() + " " + runs.file.string();
  const std::optional<Json> note =
      context.client().get_if_exists(note_kind(), context.place().namespace_name, "kml-git-" + runs.name);
  const std::string seen = seen_commit(runs, note, source);
  std::optional<JobsOfCommits> there;
  if (context.place().is_local)
    remove_old_checkouts();
  else
    there.emplace(context, runs);
  if (seen == newest) {
    context.note("no new commit in " + runs.branch.branch + " since " + newest.substr(0, kShownOfCommit));
    return 0;
  }
  const std::vector<std::string> commits = runs.each && !seen.empty()
                                               ? job::commits_after(runs.branch, seen, newest)
                                               : std::vector<std::string>{newest};
  for (const std::string& commit : commits) {
    const std::string run = run_of(runs, commit);
    if (create(context, there ? there->job(run, commit) : job_here(context, runs, run, commit)))
      context.streams().out << "run " << run << " started" << std::endl;
    else
      context.note("commit " + commit.substr(0, kShownOfCommit) + " already has a run");
  }
  note_commit(context, runs, note, source, newest);
  return 0;
}

}  // namespace kml::cli
