#include "cli/wait_for_jobs.h"

#include <memory>

#include "cli/commands.h"
#include "cli/job_selection.h"

namespace kml::cli {

namespace {

struct WaitOptions {
  JobSelection jobs;
  std::optional<std::chrono::seconds> timeout;
};

int run_wait(Context& context, const WaitOptions& options) {
  return wait_for_jobs(context, selected_jobs(context, options.jobs), options.timeout);
}

}  // namespace

Command wait_command() {
  auto options = std::make_shared<WaitOptions>();
  Command command{"wait", "Wait until jobs have ended"};
  command.description =
      "Exits with 0 where all succeeded, 3 where one failed or was cancelled, 5 at the timeout.";
  add_job_selection(command, options->jobs);
  command.option("--timeout", "DURATION", options->timeout, "give up after that time (exit code 5)");
  command.run = [options](Context& context) { return run_wait(context, *options); };
  return command;
}

}  // namespace kml::cli
