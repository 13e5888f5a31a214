#pragma once

#include <vector>

#include "kml/base/json.h"

namespace kml::job {

/// Removes from Jobs the selector and the labels of pods that an API server has generated. It does so in a
/// dry run, too, and would reject a new Job that has those of another one. Keeps a selector that the user
/// wrote (manualSelector).
void forget_generated_selectors(std::vector<Json>& objects);

}  // namespace kml::job
