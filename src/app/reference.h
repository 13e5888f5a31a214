#pragma once

#include <vector>

#include "cli/command.h"

namespace kml::cli {

/// The parts of kml(1) besides the commands: environment variables, files, credentials and exit codes.
std::vector<Definitions> definitions_of_kml();

}  // namespace kml::cli
