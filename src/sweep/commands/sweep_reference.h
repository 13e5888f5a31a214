#pragma once

#include <vector>

#include "cli/command.h"

namespace kml::cli {

/// What kml-sweep(1) explains besides the commands: the file of a sweep, and the forms of values in it.
std::vector<Definitions> definitions_of_sweeps();

}  // namespace kml::cli
