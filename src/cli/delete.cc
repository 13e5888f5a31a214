#include "cli/commands.h"
#include "cli/job_selection.h"
#include "kml/jobs/control/control.h"
#include "kml/jobs/records/records.h"

namespace kml::cli {

Command delete_command() {
  Command command = command_for_each_job("delete", "Remove jobs with their pods and logs",
                                         [](Context& context, const Json& job) {
                                           jobs::remove(context.client(), job);
                                           jobs::RunRecords::of_user().add_deleted(job);
                                           return "job " + string_at(job, {"metadata", "name"}) + " deleted";
                                         });
  command.description = "A job that runs is ended first. `kml cancel` ends a job and keeps its logs.";
  return command;
}

}  // namespace kml::cli
