#pragma once

#include <string>

#include "kml/base/json.h"
#include "sweep/runner/sweep_runner.h"

namespace kml::sweep {

/// Wraps the command of the pod's main container, so that everything it writes into the metrics file, or into
/// the event files of the folder, also appears in its log, once a second and at the end. The image needs sh,
/// wc, tail, head and sleep; for event files also find, base64 and mktemp. Mounts a volume there if the
/// collector has one. Throws usage Error if the container has no command, because the image's own is unknown
/// here.
void show_metrics(Json& pod, const SweepRunnerOptions& options, const std::string& path);

}  // namespace kml::sweep
