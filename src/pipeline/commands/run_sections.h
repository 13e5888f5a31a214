#pragma once

#include <vector>

#include "cli/command.h"

namespace kml::cli {

/// What the manual of `kml run` has and `--help` is too short for.
std::vector<ManualSection> sections_of_run();

}  // namespace kml::cli
