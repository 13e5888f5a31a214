#pragma once

#include <vector>

#include "cli/command.h"

namespace kml::cli {

/// The parts of kml-sweep(1) besides the commands: the sweep file, and the forms of values in it.
std::vector<Definitions> definitions_of_sweeps();

}  // namespace kml::cli
