#pragma once

#include <string>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/json.h"

namespace kml::sweep {

/// Converts the section `parameters` of a W&B sweep to kml's spec.parameters, sorted by name as in W&B.
/// `method` is bayes, grid or random. Problems name W&B's fields. The distributions are the same as in W&B's
/// sampler (package sweeps 0.3, params.py).
Json parameters_of_wandb(const Json& parameters, const std::string& method, std::vector<Problem>& problems);

}  // namespace kml::sweep
