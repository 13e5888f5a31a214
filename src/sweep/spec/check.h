#pragma once

#include <string>
#include <vector>

#include "kml/base/error.h"
#include "kml/sweep/spec/sweep_spec.h"

namespace kml::sweep {

/// The fault in a sweep's name, which is also the start of its jobs' names and labels; empty if it is valid.
std::string name_fault(const std::string& name);

/// Checks that need more than one field of a spec: search spaces, filters, references, warm starts.
std::vector<Problem> faults_of(const SweepSpec& spec);

}  // namespace kml::sweep
