#pragma once

#include <vector>

#include "kml/tracking/runs/tracked_run.h"

namespace kml::tracking {

/// Adds a fact "package NAME" (for a step's lock, "STEP package NAME") with the version of each package in
/// the runs' locks, so that a comparison shows which differ. Runs without packages, and runs whose lock was
/// deleted, stay as they are.
void add_package_versions(std::vector<TrackedRun>& runs);

}  // namespace kml::tracking
