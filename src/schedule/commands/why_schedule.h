#pragma once

#include <optional>
#include <string>

#include "cli/context.h"
#include "job/commands/explained.h"

namespace kml::cli {

/// When the schedule will start its next job, or why it will start none. Empty if no schedule with the name
/// can be read.
std::optional<Explained> explain_schedule(Context& context, const std::string& name);

/// If a schedule has that name, throws an Error that says where its logs are, or when there will be a log.
void refuse_log_of_schedule(Context& context, const std::string& name);

}  // namespace kml::cli
