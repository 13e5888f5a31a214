#include <functional>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/context.h"
#include "job/commands/follow.h"
#include "job/commands/lost_pods_note.h"
#include "job/commands/wait_for_jobs.h"
#include "kml/job/control/schedule.h"
#include "kml/kube/objects/object.h"

namespace kml::cli {

namespace {

struct ScheduleOptions {
  std::vector<std::string> names;
  bool follow = false, wait = false;
};

/// Finds all schedules before any is changed, so that a misspelled name has no effect.
std::vector<Json> named_schedules(Context& context, const ScheduleOptions& options) {
  std::vector<Json> found;
  for (const std::string& name : options.names)
    found.push_back(job::find_schedule(context.client(), context.place().namespace_name, name));
  return found;
}

int run_schedule_now(Context& context, const ScheduleOptions& options) {
  std::vector<Json> made;
  for (const Json& schedule : named_schedules(context, options)) {
    made.push_back(job::start_now(context.client(), schedule));
    context.streams().out << "job " << api::name_of(made.back()) << " started" << std::endl;
  }
  if (options.follow) return follow_jobs(context, {{.jobs = made, .gone_pods = context.place().is_local}});
  return options.wait ? wait_for_jobs(context, made, {}) : 0;
}

/// A command that does the same to each named schedule, and prints "schedule NAME DONE".
Command command_for_schedules(std::string name, std::string summary, std::string done,
                              std::function<void(Context& context, const Json& schedule)> act) {
  auto options = std::make_shared<ScheduleOptions>();
  Command command(std::move(name), std::move(summary));
  command.takes("SCHEDULE", options->names, "names of schedules", 1);
  command.run = [options, done = std::move(done), act = std::move(act)](Context& context) {
    for (const Json& schedule : named_schedules(context, *options)) {
      act(context, schedule);
      context.streams().out << "schedule " << api::name_of(schedule) << " " << done << "\n";
    }
    return 0;
  };
  return command;
}

void remove_with_jobs(Context& context, const Json& schedule) {
  const std::vector<Json> jobs = job::remove_schedule(context.client(), schedule);
  note_lost_pods(context, "schedule " + api::name_of(schedule), jobs);
}

}  // namespace

Command schedule_run_now_command() {
  auto options = std::make_shared<ScheduleOptions>();
  Command command{"run-now", "Start a job of a schedule now, even if the schedule is paused"};
  command.description = "The next scheduled start does not change.";
  command.examples = R"(kml schedule run-now nightly
# Start it, and follow its log
kml schedule run-now nightly --follow)";
  command.takes("SCHEDULE", options->names, "names of schedules", 1);
  command.flag("--follow", options->follow, "follow the log until the job finishes; exit code 3 if it fails")
      .details("Follow the log until the job finishes. The exit code is 3 if the job fails or is cancelled.");
  command.flag("--wait", options->wait, "wait until the job finishes; exit code 3 if it fails")
      .details("Wait until the job finishes. The exit code is 3 if the job fails or is cancelled.");
  command.run = [options](Context& context) { return run_schedule_now(context, *options); };
  return command;
}

Command schedule_pause_command() {
  Command command = command_for_schedules(
      "pause", "Pause a schedule: start no more jobs until it is resumed", "paused",
      [](Context& context, const Json& schedule) { job::set_paused(context.client(), schedule, true); });
  command.description = "Running jobs continue.";
  command.examples = "kml schedule pause nightly";
  return command;
}

Command schedule_resume_command() {
  Command command = command_for_schedules(
      "resume", "Resume a paused schedule", "resumed",
      [](Context& context, const Json& schedule) { job::set_paused(context.client(), schedule, false); });
  command.description =
      "If the schedule missed a start in the last hour, Kubernetes makes up for it at once.";
  command.examples = "kml schedule resume nightly";
  return command;
}

Command schedule_delete_command() {
  Command command = command_for_schedules("delete", "Delete a schedule with its jobs and their logs",
                                          "deleted", remove_with_jobs);
  command.description = "Running jobs are stopped. `kml schedule pause` keeps the jobs.";
  command.examples = R"(kml schedule delete nightly
# Delete all schedules
kml schedule list -o name | xargs kml schedule delete)";
  return command;
}

}  // namespace kml::cli
