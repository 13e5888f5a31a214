#pragma once

#include <string>
#include <vector>

#include "kml/base/error.h"
#include "kml/sweep/spec/sweep_spec.h"

namespace kml::sweep {

/// The fault in the name of a sweep; empty if it is valid. The names and labels of its jobs start with this
/// name.
std::string name_fault(const std::string& name);

/// The results of checks that need several fields of a spec, for example about search spaces, filters,
/// references and warm starts.
std::vector<Problem> faults_of(const SweepSpec& spec);

}  // namespace kml::sweep
