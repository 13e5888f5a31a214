#pragma once

#include <string>
#include <vector>

#include "kml/core/error.h"
#include "kml/sweep/spec/sweep_spec.h"

namespace kml::sweep {

/// What is wrong with a sweep's name, which its jobs' names and labels begin with; empty where nothing is.
std::string name_fault(const std::string& name);

/// What no part of a spec shows by itself: spaces that cannot be searched, filters, references, warm starts.
std::vector<Problem> faults_of(const SweepSpec& spec);

}  // namespace kml::sweep
