#pragma once

#include <filesystem>
#include <string>

#include "kml/base/clock.h"

namespace kml {

/// Why a program that started at `began` cannot have written the path: "nothing exists at PATH", or "PATH is
/// older than the job". Empty if it can. A folder is as new as the newest file in it. Does not follow links.
std::string not_written(const std::filesystem::path& path, Time began);

}  // namespace kml
