#pragma once

#include <vector>

#include "cli/context.h"
#include "live/model/model.h"
#include "live/screen/columns.h"
#include "live/screen/list_view.h"

namespace kml::cli {

/// Shows the tables on the terminal, and does what the user's keys say. Returns the exit code: 0 if the user
/// has quit, 130 after a signal. `options` are those of the commands that it starts.
int run_terminal(Context& context, const GlobalOptions& options, std::vector<live::Source> sources,
                 const std::vector<live::Scope>& scopes, live::View view);

}  // namespace kml::cli
