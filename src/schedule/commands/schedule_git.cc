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
  const jobs::GitBranch branch = jobs::parse_git_branch(options.sources[0]);
  const fs::path file = fs::path(options.file).lexically_normal();
  if (options.file.empty() || file.is_absolute() || file.string().starts_with(".."))
    throw usage_error(options.file.empty() ? "-f FILE is missing"
                                           : "-f " + options.file + " is not a file of the repository",
                      "each run reads it from the repository, at its commit",
                      "pass a path in the repository: -f pipeline.yaml");
  const std::string name = options.name.empty() ? name_of_repository(branch.repository) : options.name;
  api::require_made_name(
      "the schedule of runs", name,
      {.longest = kLongestNameOfCommits, .reason = "a run's name adds a part of its commit"});
  return {branch, file, name, options.params, options.each};
}

/// The words of a `kml schedule git` that looks once.
std::vector<std::string> words_to_look_once(const GitRuns& runs) {
  std::vector<std::string> words = {"schedule",         "git",    runs.source(), "-f",
                                    runs.file.string(), "--name", runs.name,     "--once"};
  if (runs.each) words.emplace_back("--each");
  for (const std::string& param : runs.params) words.insert(words.end(), {"-p", param});
  return words;
}

/// githooks(5), post-receive: a line for each ref, "OLD NEW REF". Git's variables would mislead the git that
/// kml calls.
std::string hook(Context& context, const GitRuns& runs) {
  std::vector<std::string> words = words_to_look_once(runs);
  words.insert(words.begin(), own_executable().string());
  words.insert(words.end(),
               {"--context", context.place().context, "--namespace", context.place().namespace_name});
  return "#!/bin/sh\n"
         "# Starts a run for what is pushed to a branch. Save it as hooks/post-receive in the bare "
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
                      "pods of the cluster look at the branch, and run its pipeline",
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
  require_cluster(context, options.there.engine, "on this machine, leave it out");
  if (!options.there.engine.in_cluster && !(options.there.store + options.there.secret).empty())
    throw usage_error("--store and --git-secret need --in-cluster");
  if (options.once && options.there.engine.in_cluster)
    throw not_together("--once", "--in-cluster", "--once starts runs as the schedule was created",
                       "leave out --in-cluster");
  if (options.once) return start_git_runs(context, runs);
  const spec::Timetable times =
      spec::parse_timetable({"", options.every.value_or(std::chrono::minutes(1)), ""}, system_clock().now());
  if (!context.place().is_local) return schedule_there(context, runs, options, times);
  const std::string commit = jobs::newest_commit(runs.branch);  // refuses what cannot work
  const int code = schedule_own_command(context, runs.name, words_to_look_once(runs), times);
  context.note("commit " + commit.substr(0, kShownOfCommit) + " of " + runs.branch.branch +
               " will be run first");
  return code;
}

}  // namespace

Command schedule_git_command() {
  auto options = std::make_shared<ScheduleGitOptions>();
  Command command{"git", "Run a pipeline for each new commit of a branch"};
  command.description =
      R"(kml looks at the branch every minute, and runs the file FILE of a new commit, in a checkout of that commit. The run is
named NAME-COMMIT, with the first twelve digits of the commit, and so is its job. Whoever looks creates that job, and the
server accepts a name only once: however many look (schedules, hooks, people), a commit is run once.

If several commits came since kml looked last, only the newest is run; with --each, all of them. After a forced push, kml
runs the newest commit.

git reads the repository with your settings, and asks no questions: it needs a key or stored credentials. A password in the
URL is refused, because it would be visible. The pipeline may not use secrets or files outside its folder, because that
needs your trust (kml-trust(1)), and each checkout is a new folder.

The checkouts are in the folder git of kml's state, until their runs have succeeded.

On a cluster this needs --in-cluster: a pod of the image looks at the branch, and the job of each run checks out the commit and
is the engine of the run, as with `kml run --in-cluster`. The image needs kml, git and sh, and ssh for such URLs;
`examples/engine-image --git` builds one, and so do two lines of a Dockerfile: "FROM alpine/git" and "COPY kml /bin/kml". Steps
may be jobs and models to serve; for others, and for sweeps of them, pass an --engine-account with the rights that kml-run(1) lists. The jobs
of runs stay until you delete them or the schedule. `kml why NAME` shows why a look failed.)";
  command.examples = R"(# Run the pipeline of a repository for each new commit of main
kml schedule git ~/bert.git#main -f pipeline.yaml
# Look now, for example from cron or CI
kml schedule git ~/bert.git#main -f pipeline.yaml --once
# Look when something is pushed, instead of every minute
kml schedule git ~/bert.git#main -f pipeline.yaml --print-hook >~/bert.git/hooks/post-receive
# On a cluster, with the password or token of a Secret
kml schedule git https://git.example/ana/bert#main -f pipeline.yaml --in-cluster --engine-image registry.example/kml-git:1 --store pvc/runs --git-secret git)";
  command.takes("REPOSITORY#BRANCH", options->sources,
                "a URL or folder that git can fetch from, and a branch", 1, 1);
  command.options_under("What runs");
  command.option("-f,--file", "FILE", options->file, "the pipeline's path in the repository")
      .details("The pipeline that is run, by its path in the repository. Each run reads it at its commit.");
  command.option("-p,--param", "NAME=VALUE", options->params, "a parameter of the pipeline")
      .details("Sets a parameter of the pipeline. May be repeated.");
  command.option("--name", "NAME", options->name, "the schedule's name (default: that of the repository)")
      .details(
          "The name of the schedule, at most 33 characters; its runs are NAME-COMMIT. The default is the "
          "name of the repository, without its folder and without .git. A name belongs to one branch and one "
          "file.");
  command.flag("--each", options->each, "run all new commits, not only the newest")
      .details(
          "Runs all commits that came since kml looked last, oldest first, and side by side. The first look, "
          "and one after a forced push, runs only the newest.");
  command.options_under("When kml looks");
  command.option("--every", "DURATION", options->every, "how often to look: 1m (the default), 15m, 1h")
      .details(
          "How often kml looks at the branch. It must divide an hour or a day, or be a day or a week. Each "
          "look is a job of the schedule.");
  command.flag("--once", options->once, "look now, and create no schedule")
      .details(
          "Looks at the branch now, starts the runs of new commits, and ends. Use it where something else "
          "decides when to look: a hook, a CI job, a timer.");
  command.flag("--print-hook", options->print_hook, "print a post-receive hook that looks after a push")
      .details(
          "Prints a shell script for hooks/post-receive of a bare repository, which looks with --once "
          "whenever the branch is pushed. It needs no schedule; together with one, a commit is still run "
          "once.");
  command.options_under("Where it runs");
  add_in_cluster_flags(
      command, options->there.engine,
      {.in_cluster =
           "Creates a CronJob on the cluster whose pods look at the branch. You can shut this machine down.",
       .image = "The image of these pods and of the engines: it has kml, git and sh.",
       .volume = "The claim, and a folder in it, for the journals of the runs.",
       .account = "A service account with the rights that kml-run(1) lists, which may also create jobs, get "
                  "cron jobs, and list and watch config maps. By default kml creates one, with a Role."});
  command
      .option("--store", "STORE", options->there.store,
              "for --in-cluster: where steps keep what they make: pvc/NAME, or s3://BUCKET")
      .after("--engine-image")
      .details(
          "Where the steps keep what they make, as for `kml run --store`. A volume also keeps the journals.");
  command
      .option("--git-secret", "NAME", options->there.secret,
              "for --in-cluster: a Secret with git's password, token or ssh key")
      .after("--store")
      .details(
          "A Secret of the namespace for the repository (`kml submit -f FILE` creates one). For http and "
          "https it has the keys password, for a password or a token, and username if it needs one; for ssh, "
          "ssh-privatekey and known_hosts. Git gives the password to that server only.");
  command.run = [options](Context& context) { return run_schedule_git(context, *options); };
  return command;
}

}  // namespace kml::cli
