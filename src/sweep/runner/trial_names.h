#pragma once

#include "kml/sweep/spec/sweep_spec.h"

namespace kml::sweep {

/// Throws usage Error with a suitable name if, with the sweep's name, the controller of its trials could not
/// create valid names for its objects.
void check_trial_names(const SweepSpec& spec);

}  // namespace kml::sweep
