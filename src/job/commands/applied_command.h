#pragma once

#include <string>

#include "cli/context.h"
#include "job/commands/send.h"
#include "kml/job/submit/plan_file.h"

namespace kml::cli {

/// Implements `kml apply` for the plan of a command other than submit: runs that command again. The command
/// starts what the plan shows, at most once on this machine. `target` is the server and namespace for the
/// command.
int apply_command_plan(const GlobalOptions& target, Streams& streams, const job::PlanFile& plan,
                       const std::string& file, const SendOptions& options);

}  // namespace kml::cli
