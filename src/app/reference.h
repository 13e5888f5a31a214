#pragma once

#include <vector>

#include "cli/command.h"

namespace kml::cli {

/// What kml(1) explains besides the commands: environment variables, files, credentials, exit codes.
std::vector<Definitions> definitions_of_kml();

}  // namespace kml::cli
