#pragma once

#include <string>
#include <vector>

#include "pod/hang/hang.h"

namespace kml::pod {

/// The commands that the user should run if a job is stuck, the best first.
std::vector<std::string> next_commands(const JobLook& look, const HangVerdict& verdict);

}  // namespace kml::pod
