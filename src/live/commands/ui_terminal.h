#pragma once

#include <vector>

#include "cli/context.h"
#include "live/model/model.h"
#include "live/screen/columns.h"
#include "live/screen/list_view.h"

namespace kml::cli {

/// Shows the tables on the terminal, and carries out the actions of the user's keys. Returns the exit code: 0
/// if the user has quit, 130 after a signal. `options` are the options of the commands that the user
/// interface starts.
int run_terminal(Context& context, const GlobalOptions& options, std::vector<live::Source> sources,
                 const std::vector<live::Scope>& scopes, live::View view);

}  // namespace kml::cli
