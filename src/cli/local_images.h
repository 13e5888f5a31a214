#pragma once

#include "cli/command.h"

namespace kml::cli {

/// `kml local image IMAGE=COMMAND`.
Command local_image_command();

}  // namespace kml::cli
