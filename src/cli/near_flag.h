#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kml::cli {

/// The flag among `flags` that the unknown flag `typed`, such as "--tim-limit", most likely means: the flag
/// for the same purpose as a flag of Slurm, kubectl, Docker, SkyPilot or torchrun; otherwise the nearest one.
/// Empty if no flag is likely.
std::optional<std::string> near_flag(const std::string& typed, const std::vector<std::string>& flags);

}  // namespace kml::cli
