#include <memory>

#include "cli/commands.h"
#include "cli/follow.h"
#include "cli/job_selection.h"
#include "kml/core/clock.h"
#include "kml/jobs/log_spool.h"

namespace kml::cli {

namespace {

struct LogsOptions {
  std::vector<std::string> names;
  std::string selector, container, save;
  bool follow = false, keep = false, timestamps = false, previous = false, propagate_exit = false;
  std::optional<long long> tail;
  std::optional<std::chrono::seconds> since;
};

int run_logs(Context& context, const LogsOptions& options) {
  if (options.propagate_exit && !options.follow)
    throw usage_error("--propagate-exit needs -f", "only who waits for a job's end learns its exit code");
  FollowOptions follow{{}, options.timestamps, options.save};
  if (options.keep) follow.save = jobs::default_spool();
  jobs::LogSelection& selection = follow.selection;
  selection.container = options.container;
  selection.previous = options.previous;
  selection.tail = options.tail;
  selection.since = options.since;
  selection.gone_pods = context.place().is_local;
  try {
    selection.jobs = selected_jobs(context, {options.names, options.selector});
  } catch (const Error& error) {
    // Of a job that is gone a copy may be left.
    if (error.reason == "NotFound" && print_saved_logs(context, options.names, follow)) return 0;
    throw;
  }
  if (selection.jobs.empty()) {
    context.note("no such jobs in namespace " + context.place().namespace_name);
    return 0;
  }
  follow.propagate_exit = options.propagate_exit;
  if (options.follow) return follow_jobs(context, follow);
  print_logs(context, follow);
  return 0;
}

}  // namespace

Command logs_command() {
  auto options = std::make_shared<LogsOptions>();
  Command command{"logs", "Print or follow the logs of jobs, all pods and attempts"};
  command.description =
      "With -f it waits for a job that has not started, says why it waits, goes on with each new attempt, "
      "and\n"
      "exits with 3 where the job failed.";
  command.takes("JOB", options->names, "names of jobs", 0);
  command.flag("-f,--follow", options->follow, "go on until the job ends");
  command.flag("--propagate-exit", options->propagate_exit,
               "with -f: exit as the container that died first did, not with 3");
  command.option("-l,--selector", "LABELS", options->selector, "jobs with these labels: a=b,c!=d,e in (f,g)");
  command.option("-c,--container", "NAME", options->container, "only that container; else all");
  command.option("--tail", "N", options->tail, "only the last N lines of each pod");
  command.option("--since", "DURATION", options->since, "only lines younger than that: 90s, 15m, 2h");
  command.option("--save", "DIR", options->save,
                 "also keep a complete copy there; the same command goes on with it after a break");
  command.flag("--keep", options->keep, "keep that copy where kml looks for the logs of jobs that are gone");
  command.flag("--timestamps", options->timestamps, "print each line's time");
  command.flag("--previous", options->previous, "the log of the container's run before its last restart");
  command.run = [options](Context& context) { return run_logs(context, *options); };
  return command;
}

}  // namespace kml::cli
