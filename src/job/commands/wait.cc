#include "job/commands/wait_for_jobs.h"

#include <memory>

#include "cli/commands.h"
#include "job/commands/job_selection.h"
#include "job/commands/notify.h"
#include "kml/base/flag_errors.h"
#include "kml/job/views/find.h"

namespace kml::cli {

namespace {

struct WaitOptions {
  JobSelection jobs;
  std::optional<std::chrono::seconds> timeout;
  std::string goal;
  std::vector<std::string> notify;
};

/// The selected jobs that still exist. kml does not wait for a deleted job.
std::vector<Json> jobs_still_there(Context& context, const JobSelection& selection) {
  if (selection.names.empty()) return selected_jobs(context, selection, "wait");
  std::vector<Json> found;
  for (const std::string& name : selection.names) {
    try {
      job::JobOrTask named = named_job_or_task(context, name);
      refuse_task(named, "wait");
      found.push_back(std::move(named.job));
    } catch (const Error& error) {
      if (error.reason != "NotFound") throw;
      context.note("job " + name + " does not exist");
    }
  }
  return found;
}

int run_wait(Context& context, const WaitOptions& options) {
  const job::WaitGoal goal = job::parse_wait_goal(options.goal);
  check_notify(options.notify);
  if (!options.notify.empty() && goal.kind != job::WaitGoal::Kind::end)
    throw not_together("--notify", "--for", "notices are sent until the jobs have finished",
                       "leave out --for");
  const bool is_deletion = goal.kind == job::WaitGoal::Kind::deletion;
  const std::vector<Json> jobs =
      is_deletion ? jobs_still_there(context, options.jobs) : selected_jobs(context, options.jobs, "wait");
  if (jobs.empty() && !is_deletion)
    context.note("no matching jobs in namespace " + context.place().namespace_name);
  return wait_for_jobs(context, jobs, options.timeout, goal, options.notify);
}

}  // namespace

Command wait_command() {
  auto options = std::make_shared<WaitOptions>();
  Command command{"wait", "Wait until jobs have finished, are running, are deleted, or have a condition"};
  command.description =
      R"(The exit code is 0 if all jobs succeeded (or, with --for, are running, are deleted or have the condition), 3 if one
failed, was cancelled or can no longer reach the goal, and 5 after the timeout. Without --timeout, kml waits without a
limit. A job of a kind that runs until it is deleted, such as a RayCluster, is treated as finished once it runs.

kml also stops waiting, with exit code 3, if a job can no longer start because a job that it waits for (submit --after)
did not end as required, or cannot start either. If something else keeps a job from starting, such as a full quota or a
missing secret, kml continues to wait, because other people may change that.)";
  command.examples = R"(kml wait bert
kml wait --for=condition=Complete --timeout 1h bert
# Until all jobs with a label are deleted
kml wait --for=delete -l team=vision
# With a notice when the job starts, finishes, fails or hangs
kml wait bert --notify 'exec:echo "$KML_NOTICE_TEXT" >>notices')";
  add_job_selection(command, options->jobs);
  command.options_under("How to wait");
  command
      .option("--for", "GOAL", options->goal,
              "what to wait for: end, running, delete or condition=NAME[=STATUS] [default: end]")
      .details(
          "What to wait for. GOAL is end, running, delete, or condition=NAME[=STATUS]. Without =STATUS, kml "
          "waits for the status True. [default: end]");
  command.option("--timeout", "DURATION", options->timeout, "stop waiting after this time (exit code 5)")
      .details("Stop waiting after this time, with exit code 5.");
  add_notify_flag(command, options->notify);
  command.run = [options](Context& context) { return run_wait(context, *options); };
  return command;
}

}  // namespace kml::cli
