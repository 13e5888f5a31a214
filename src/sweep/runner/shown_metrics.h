#pragma once

#include <string>

#include "kml/base/json.h"
#include "sweep/runner/sweep_runner.h"

namespace kml::sweep {

/// Wraps the command of the pod's main container so that everything it writes to the metrics file, or to the
/// event files in the folder, also appears in its log, once a second and at the end. If the collector has a
/// volume, mounts it there. The image needs sh, wc, tail, head and sleep; for event files, also find, base64,
/// mktemp, cat, tr and rm. Throws usage Error if the container has no command, because the image's own
/// command is unknown here.
void show_metrics(Json& pod, const SweepRunnerOptions& options, const std::string& path);

}  // namespace kml::sweep
