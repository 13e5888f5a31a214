#pragma once

#include "kml/sweep/spec/sweep_spec.h"

namespace kml::sweep {

/// Throws usage Error if, because of the sweep's name, the controller of the trials could not create valid
/// names for its own objects. The error suggests a suitable name.
void check_trial_names(const SweepSpec& spec);

}  // namespace kml::sweep
