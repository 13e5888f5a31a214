#include "kml/jobs/control/control.h"

#include "cli/commands.h"
#include "cli/job_selection.h"
#include "kml/api/object.h"
#include "kml/jobs/records/records.h"
#include "kml/jobs/views/job_view.h"

namespace kml::cli {

Command cancel_command() {
  Command command = command_for_each_job("cancel", "End jobs; their record and logs stay",
                                         [](Context& context, const Json& job) {
                                           std::string name = api::name_of(job);
                                           if (jobs::cancel(context.client(), job))
                                             return "job " + name + " cancelled";
                                           return "job " + name + " had ended already";
                                         });
  command.description =
      "A job's processes get SIGTERM, and SIGKILL after its grace. The job counts as cancelled and can still "
      "be\n"
      "looked at with `kml status`, `kml logs` and `kml history`; `kml delete` removes it.";
  return command;
}

Command delete_command() {
  Command command = command_for_each_job("delete", "Remove jobs with their pods and logs",
                                         [](Context& context, const Json& job) {
                                           jobs::remove(context.client(), job);
                                           jobs::RunRecords::of_user().add_deleted(job);
                                           return "job " + api::name_of(job) + " deleted";
                                         });
  command.description = "A job that runs is ended first. `kml cancel` ends a job and keeps its logs.";
  return command;
}

namespace {

std::string set_suspended(Context& context, const Json& job, bool suspended) {
  std::string name = api::name_of(job);
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
