#include "cli/commands.h"
#include "cli/job_selection.h"
#include "kml/jobs/control/control.h"
#include "kml/jobs/views/job_view.h"

namespace kml::cli {

Command cancel_command() {
  Command command = command_for_each_job("cancel", "End jobs; their record and logs stay",
                                         [](Context& context, const Json& job) {
                                           std::string name = string_at(job, {"metadata", "name"});
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

}  // namespace kml::cli
