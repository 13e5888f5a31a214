#pragma once

#include "kml/sweep/spec/sweep_spec.h"
#include "sweep/spec/fields.h"

namespace kml::sweep {

/// Reads `objective` and `objectives` in a sweep's spec.
void read_objectives(Fields& fields, bool is_katib, SweepSpec& spec, std::vector<Problem>& problems);

/// Adds a problem for each setting that cannot be used with several objectives.
void check_objectives(const SweepSpec& spec, std::vector<Problem>& problems);

}  // namespace kml::sweep
