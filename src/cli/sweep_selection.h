#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kml/sweep/sweep_state.h"

namespace kml::cli {

/// Whether there is a sweep of that name. One that a full disk, or a kill, kept from its first record is
/// none.
bool has_begun(const std::string& name);

/// Those that there are on this machine, sorted.
std::vector<std::string> sweep_names();

/// The records of the sweep of that name, whoever runs it. Throws usage Error where there is none.
void read_sweep(const std::string& name, const std::function<void(const Json& record)>& take);

/// What they amount to.
sweep::SweepState state_of(const std::string& name);

}  // namespace kml::cli
