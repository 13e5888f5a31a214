#include <memory>

#include "cli/commands.h"
#include "cli/context.h"
#include "job/commands/named_job.h"
#include "kml/base/text.h"

namespace kml::cli {

namespace {

/// Throws an Error that names the command to type: `kml cancel` for a job, or the separate `stop` of sweeps,
/// runs and served programs. Stops nothing.
int refuse_stop(Context& context, const std::vector<std::string>& names) {
  Error error = usage_error("unknown command \"stop\"", "the kml command for jobs is `kml cancel`",
                            "kml cancel " + (names.empty() ? "JOB" : shell_quoted(names)));
  if (names.size() != 1) throw error;
  try {
    named_job_or_task(context, names[0]);
  } catch (const Error& missing) {
    if (missing.reason != "NotFound" || missing.why.empty()) throw error;
    error.why = missing.why;
    error.fix = missing.fix;
  }
  throw error;
}

}  // namespace

Command stop_command() {
  auto names = std::make_shared<std::vector<std::string>>();
  auto flags = std::make_shared<std::vector<UnknownFlag>>();
  Command command{"stop", "Name the command that stops the object"};
  command.takes("NAME", *names, "a job, sweep, run or served program", 0);
  command.unknown_flags = flags.get();
  command.hidden = true;
  command.run = [names, flags](Context& context) { return refuse_stop(context, *names); };
  return command;
}

}  // namespace kml::cli
