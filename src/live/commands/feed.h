#pragma once

#include <vector>

#include "cli/context.h"
#include "live/model/model.h"

namespace kml::cli {

/// The command's options, including the context and namespace that kml.yaml or a variable has set. Other kml
/// processes with these options do not ask again whether they may use that context and namespace.
GlobalOptions pinned_options(Context& context);

/// Prints the rows of the context's cluster, and then each change as a line of JSON, until a signal arrives
/// or no program reads the output any more. If the cluster does not answer, says so and tries again.
int run_feed(Context& context);

/// Like run_feed(), for several clusters, each of which has its own process.
int run_feeds(Context& context, std::vector<live::Source> sources);

}  // namespace kml::cli
