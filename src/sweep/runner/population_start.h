#pragma once

#include <string>

#include "kml/base/json.h"

namespace kml::sweep {

/// Wraps the commands of the pod's containers. Before a command starts, the trial's checkpoint folder is
/// created: as a copy of the folder `parent` or, if `parent` is empty, as an empty folder. An existing folder
/// is kept, because an earlier attempt of the trial has started to use it. The image needs sh, cp, hostname,
/// mkdir, mv and rm. Throws usage Error for a container without a command, because the image's own command is
/// unknown here.
void start_from_checkpoint(Json& pod, const std::string& own, const std::string& parent);

}  // namespace kml::sweep
