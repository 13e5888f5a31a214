#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>

#include "cli/commands.h"
#include "cli/context.h"
#include "job/commands/submit_schedule.h"
#include "kml/base/error.h"
#include "kml/base/flag_errors.h"
#include "kml/base/process.h"
#include "kml/base/text.h"
#include "kml/job/spec/timetable.h"
#include "kml/kube/objects/made_name.h"
#include "kml/kube/objects/names.h"
#include "pipeline/commands/git_runs.h"
#include "pipeline/commands/git_runs_in_cluster.h"
#include "pipeline/commands/run_schedule.h"

namespace kml::cli {

namespace {

namespace fs = std::filesystem;

struct ScheduleGitOptions {
  std::vector<std::string> sources, params;
  std::string file, name;
  std::optional<std::chrono::seconds> every;
  bool each = false, once = false, print_hook = false;
  GitRunsThere there;
};

/// "../ana/bert.git" -> "bert".
std::string name_of_repository(const std::string& repository) {
  std::string path = repository;
  while (path.ends_with('/')) path.pop_back();
  path = path.substr(path.find_last_of("/:") + 1);
  if (path.ends_with(".git")) path.resize(path.size() - 4);
  return api::to_dns_label(path, kLongestNameOfCommits);
}

GitRuns runs_of(const ScheduleGitOptions& options) {
  const job::GitBranch branch = job::parse_git_branch(options.sources[0]);
  const fs::path file = fs::path(options.file).lexically_normal();
  if (options.file.empty() || file.is_absolute() || file.string().starts_with(".."))
    throw usage_error(options.file.empty() ? "-f FILE is missing"
                                           : "-f " + options.file + " is not a path in the repository",
                      "each run reads this file from the commit that it runs",
                      "pass a path in the repository: -f pipeline.yaml");
  const std::string name = options.name.empty() ? name_of_repository(branch.repository) : options.name;
  api::require_made_name("the schedule of runs", name,
                         {.longest = kLongestNameOfCommits,
                          .reason = "kml adds the start of the commit's hash to the name of each run"});
  return {branch, file, name, options.params, options.each};
}

/// The arguments for a `kml schedule git` that checks the branch once.
std::vector<std::string> words_to_look_once(const GitRuns& runs) {
  std::vector<std::string> words = {"schedule",         "git",    runs.source(), "-f",
                                    runs.file.string(), "--name", runs.name,     "--once"};
  if (runs.each) words.emplace_back("--each");
  for (const std::string& param : runs.params) words.insert(words.end(), {"-p", param});
  return words;
}

/// A post-receive hook (githooks(5)), which reads a line "OLD NEW REF" for each ref. Unsets git's variables,
/// because they would mislead the git that kml calls.
std::string hook(Context& context, const GitRuns& runs) {
  std::vector<std::string> words = words_to_look_once(runs);
  words.insert(words.begin(), own_executable().string());
  words.insert(words.end(),
               {"--context", context.place().context, "--namespace", context.place().namespace_name});
  return "#!/bin/sh\n"
         "# Starts a run after a push to the branch. Save this script as hooks/post-receive in the bare "
         "repository, and\n"
         "# make it executable.\n"
         "unset $(git rev-parse --local-env-vars)\n"
         "while read -r old new ref; do\n"
         "  [ \"$ref\" = " +
         shell_quoted(std::vector{"refs/heads/" + runs.branch.branch}) +
         " ] || continue\n"
         "  " +
         shell_quoted(words) +
         " </dev/null ||\n"
         "    echo \"kml: no run was started for $new\" >&2\n"
         "done\n";
}

int schedule_there(Context& context, const GitRuns& runs, const ScheduleGitOptions& options,
                   const spec::Timetable& times) {
  if (!options.there.engine.in_cluster)
    throw usage_error("on a cluster, kml schedule git needs --in-cluster",
                      "pods in the cluster check the branch, and run its pipeline",
                      "add --in-cluster --engine-image IMAGE --store pvc/NAME, or pass --context local");
  context.tell_target();
  schedule_git_in_cluster(context, runs, options.there, words_to_look_once(runs), times);
  return 0;
}

int run_schedule_git(Context& context, const ScheduleGitOptions& options) {
  const GitRuns runs = runs_of(options);
  if (options.print_hook) {
    context.streams().out << hook(context, runs);
    return 0;
  }
  if (options.once && options.every) throw not_together("--once", "--every");
  require_cluster(context, options.there.engine, "on this machine, leave out --in-cluster");
  if (!options.there.engine.in_cluster && !(options.there.store + options.there.secret).empty())
    throw usage_error("--store and --git-secret need --in-cluster");
  if (options.once && options.there.engine.in_cluster)
    throw not_together("--once", "--in-cluster", "--once starts runs with the schedule's own settings",
                       "leave out --in-cluster");
  if (options.once) return start_git_runs(context, runs);
  const spec::Timetable times =
      spec::parse_timetable({"", options.every.value_or(std::chrono::minutes(1)), ""}, system_clock().now());
  if (!context.place().is_local) return schedule_there(context, runs, options, times);
  const std::string commit = job::newest_commit(runs.branch);  // throws Error if the branch cannot be read
  const int code = schedule_own_command(context, runs.name, words_to_look_once(runs), times);
  context.note("the first run will use commit " + commit.substr(0, kShownOfCommit) + " of " +
               runs.branch.branch);
  return code;
}

}  // namespace

Command schedule_git_command() {
  auto options = std::make_shared<ScheduleGitOptions>();
  Command command{"git", "Run a pipeline for each new commit on a branch"};
  command.description =
      R"(kml checks the branch every minute, or as often as --every says. For a new commit, kml runs the pipeline FILE in a checkout of that commit.
The run and its job are called NAME-COMMIT, with the first twelve digits of the commit. Because the server accepts each
name only once, a commit is run once, even if several schedules, hooks or people check the branch.

If several commits have arrived since the last check, kml runs only the newest or, with --each, all of them. After a
forced push, kml runs the newest commit.

git reads the repository with your settings, and asks no questions, so it needs a key or stored credentials. kml
rejects a password in the URL, because it would be visible. The pipeline may not use secrets or files outside its
folder, because that needs your trust (kml-trust(1)), and each checkout is a new folder.

Checkouts are stored in the folder "git" in kml's state folder, until their runs have succeeded.

On a cluster, you must add --in-cluster. A pod on the cluster then checks the branch, and the job of each run checks
out the commit and runs the engine, as with `kml run --in-cluster`. The image needs kml, git and sh, and for ssh URLs
also ssh. `examples/engine-image --git` builds such an image, and so do two lines in a Dockerfile: "FROM alpine/git"
and "COPY kml /bin/kml". By default, steps may be jobs and served models; for other kinds, pass an --engine-account
with the rights that kml-run(1) lists. The jobs of runs stay until you delete them or the schedule. Each check is
a job, too. If one fails, `kml why` with that job's name shows why, and `kml why NAME` names the last one.)";
  command.examples = R"(# Run a repository's pipeline for each new commit on main
kml schedule git ~/bert.git#main -f pipeline.yaml
# Check now, for example from cron or CI
kml schedule git ~/bert.git#main -f pipeline.yaml --once
# Check after each push, instead of every minute
kml schedule git ~/bert.git#main -f pipeline.yaml --print-hook >~/bert.git/hooks/post-receive
# On a cluster, with the password or token of a Secret
kml schedule git https://git.example/ana/bert#main -f pipeline.yaml --in-cluster --engine-image registry.example/kml-git:1 --store pvc/runs --git-secret git)";
  command.takes("REPOSITORY#BRANCH", options->sources,
                "a URL or folder that git can fetch from, and a branch", 1, 1);
  command.options_under("What runs");
  command.option("-f,--file", "FILE", options->file, "the pipeline's path in the repository")
      .details(
          "The path of the pipeline in the repository. Each run reads the pipeline from its own commit.");
  command.option("-p,--param", "NAME=VALUE", options->params, "a parameter of the pipeline")
      .details("Set a parameter of the pipeline. May be repeated.");
  command.option("--name", "NAME", options->name, "name of the schedule; by default, the repository's")
      .details(
          "The name of the schedule, at most 33 characters; its runs are called NAME-COMMIT. A schedule's "
          "name can be used for only one branch and one file. By default, the repository's name, without its "
          "folder and .git.");
  command.flag("--each", options->each, "run all new commits, not only the newest")
      .details(
          "Run all commits that have arrived since the last check, starting with the oldest, in parallel. "
          "The first check, and a check after a forced push, runs only the newest commit.");
  command.options_under("When kml checks the branch");
  command.option("--every", "DURATION", options->every, "how often to check: 1m, 15m, 1h [default: 1m]")
      .details(
          "How often to check the branch. The interval must be a number of minutes that divides an hour "
          "evenly, a number of hours that divides a day evenly, or a week. Each check is a job of the "
          "schedule. [default: 1m]");
  command.flag("--once", options->once, "check now, and create no schedule")
      .details(
          "Check the branch now, start the runs of new commits, and exit. Use --once in a hook, a CI job or "
          "a timer.");
  command
      .flag("--print-hook", options->print_hook,
            "print a post-receive hook that checks the branch after a push")
      .details(
          "Print a shell script for hooks/post-receive in a bare repository. After each push to the branch, "
          "the hook runs this command with --once. The hook needs no schedule. If you also create a "
          "schedule, each commit is still run only once.");
  command.options_under("Where it runs");
  add_in_cluster_flags(
      command, options->there.engine,
      {.in_cluster =
           "Create a CronJob on the cluster that checks the branch. You can then shut this machine down.",
       .image =
           "The image of the pods of --in-cluster and of the engines. The image must have kml, git and sh.",
       .volume = "The volume claim, and a folder in it, for the journals of the runs, with --in-cluster.",
       .account = "A service account for --in-cluster with the rights that kml-run(1) lists. The account "
                  "must also be allowed to create jobs, get cron jobs, and list and watch config maps. By "
                  "default, kml creates a service account, with a Role."});
  command
      .option("--store", "STORE", options->there.store,
              "with --in-cluster: where to keep outputs: pvc/NAME, or s3://BUCKET")
      .after("--engine-image")
      .details(
          "With --in-cluster, where to keep the outputs of steps, as for `kml run --store`. If STORE is a "
          "volume, it also holds the journals.");
  command
      .option("--git-secret", "NAME", options->there.secret,
              "with --in-cluster: a Secret with a password, token or ssh key for git")
      .after("--store")
      .details(
          "A Secret in the namespace, for --in-cluster, with the credentials for the repository (`kml submit "
          "-f FILE` creates one). For http and https, store a password or a token under the key password, "
          "and, if needed, a user name under the key username. For ssh, the Secret needs the keys "
          "ssh-privatekey and known_hosts. git sends the password only to the repository's server.");
  command.run = [options](Context& context) { return run_schedule_git(context, *options); };
  return command;
}

}  // namespace kml::cli
