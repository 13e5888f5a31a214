#pragma once

#include "kml/sweep/spec/sweep_spec.h"

namespace kml::sweep {

/// Throws usage Error, with a name that would do, if the sweep's name leaves the controller of its trials no
/// valid names for what it makes.
void check_trial_names(const SweepSpec& spec);

}  // namespace kml::sweep
