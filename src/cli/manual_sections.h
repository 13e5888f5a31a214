#pragma once

#include <vector>

#include "cli/command.h"

namespace kml::cli {

/// What `--help` is too short for, of each command; for Command::manual.
std::vector<ManualSection> sections_of_logs();
std::vector<ManualSection> sections_of_run();
std::vector<ManualSection> sections_of_serve();
std::vector<ManualSection> sections_of_sweep_run();
ManualSection differences_of_local();

}  // namespace kml::cli
