#pragma once

#include <string>
#include <vector>

#include "kml/core/error.h"
#include "kml/sweep/spec/sweep_spec.h"

namespace kml::sweep {

/// What is wrong with a sweep's name, which its jobs' names and labels begin with; empty if nothing is.
std::string name_fault(const std::string& name);

/// Checks that need more than one field of a spec: search spaces, filters, references, warm starts.
std::vector<Problem> faults_of(const SweepSpec& spec);

}  // namespace kml::sweep
