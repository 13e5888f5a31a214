#pragma once

#include <string>

#include "kml/core/json.h"

namespace kml::jobs {

/// Wraps the container's command, so that what it writes into the file also comes into its log, each second
/// and at its end. The image needs sh, wc, tail, head and sleep. Throws usage Error where the container has
/// no command: what the image would run is not known here.
void show_file(Json& container, const std::string& path);

}  // namespace kml::jobs
