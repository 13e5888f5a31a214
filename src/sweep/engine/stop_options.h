#pragma once

#include "kml/sweep/spec/sweep_spec.h"
#include "kml/sweep/stopping/stopping.h"

namespace kml::sweep {

/// What the rules of stopping.h need of a spec. Hyperband is ASHA with all brackets that there are.
StopOptions stop_options(const Stopping& stopping);

}  // namespace kml::sweep
