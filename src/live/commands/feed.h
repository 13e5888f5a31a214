#pragma once

#include <vector>

#include "cli/context.h"
#include "live/model/model.h"

namespace kml::cli {

/// The options with the context and namespace that kml.yaml or a variable has set. So other processes, and
/// other contexts, do not ask again for permission to use these.
GlobalOptions pinned_options(Context& context);

/// Prints the rows of the context's cluster, and then each change as a line of JSON, until a signal arrives
/// or nobody reads any more. If the cluster does not answer, says so and tries again.
int run_feed(Context& context);

/// The same for several clusters, each of which has a process of its own.
int run_feeds(Context& context, std::vector<live::Source> sources);

}  // namespace kml::cli
