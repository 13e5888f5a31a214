#pragma once

#include <span>
#include <vector>

#include "kml/sweep/space/space.h"
#include "kml/sweep/trial/history.h"

namespace kml::sweep {

/// Each parameter's share in what distinguishes the best tenth of the trials from the others, in the space's
/// order. The sum is 1. Uses PED-ANOVA (S. Watanabe et al., arXiv 2304.10255), and for conditional parameters
/// arXiv 2601.20800, with the constants of Optuna's PedAnovaImportanceEvaluator.
///
/// Counts only complete trials with a finite objective. Empty if fewer than two of them exist, or if all have
/// the same value.
std::vector<double> importance(const Space& space, std::span<const Observation> trials);

}  // namespace kml::sweep
