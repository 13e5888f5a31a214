#pragma once

#include <vector>

#include "cli/command.h"

namespace kml::cli {

/// The sections of the manual of `kml run` that `--help` leaves out.
std::vector<ManualSection> sections_of_run();

}  // namespace kml::cli
