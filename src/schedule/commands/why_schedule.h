#pragma once

#include <string>

#include "cli/context.h"

namespace kml::cli {

/// If a schedule has that name, prints when it will start its next job, or why it will start none. Returns
/// false if no schedule has the name.
bool explain_schedule(Context& context, const std::string& name);

bool is_schedule(Context& context, const std::string& name);

/// If a schedule has that name, throws an Error that says where its logs are, or when there will be a log.
void refuse_log_of_schedule(Context& context, const std::string& name);

}  // namespace kml::cli
