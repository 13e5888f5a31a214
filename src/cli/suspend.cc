#include "cli/commands.h"
#include "cli/job_selection.h"
#include "kml/jobs/control/control.h"
#include "kml/jobs/views/job_view.h"

namespace kml::cli {

namespace {

std::string set_suspended(Context& context, const Json& job, bool suspended) {
  std::string name = string_at(job, {"metadata", "name"});
  if (jobs::has_ended(jobs::state_of(job, false))) return "job " + name + " has ended already";
  jobs::set_suspended(context.client(), job, suspended);
  return "job " + name + (suspended ? " suspended" : " resumed");
}

}  // namespace

Command suspend_command() {
  Command command = command_for_each_job(
      "suspend", "Pause jobs: their pods end and give their GPUs back",
      [](Context& context, const Json& job) { return set_suspended(context, job, true); });
  command.description =
      "The job starts anew with `kml resume`; what it keeps is what it has written to a checkpoint.";
  return command;
}

Command resume_command() {
  return command_for_each_job("resume", "Let suspended jobs go on", [](Context& context, const Json& job) {
    return set_suspended(context, job, false);
  });
}

}  // namespace kml::cli
