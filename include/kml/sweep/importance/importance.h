#pragma once

#include <span>
#include <vector>

#include "kml/sweep/space/space.h"
#include "kml/sweep/trial.h"

namespace kml::sweep {

/// Each parameter's share in what tells the best tenth of the trials from all others, in the space's order;
/// the sum is 1. By PED-ANOVA (S. Watanabe et al., arXiv 2304.10255), and for conditional parameters arXiv
/// 2601.20800, with the constants of Optuna's PedAnovaImportanceEvaluator.
///
/// Only trials that are complete, with a finite objective, count. Empty if they do not tell anything:
/// fewer than two, or all alike.
std::vector<double> importance(const Space& space, std::span<const Observation> trials);

}  // namespace kml::sweep
