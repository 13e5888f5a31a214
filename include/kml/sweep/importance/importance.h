#pragma once

#include <span>
#include <vector>

#include "kml/sweep/space/space.h"
#include "kml/sweep/trial/history.h"

namespace kml::sweep {

/// How much each parameter contributes to the difference between the best tenth of the trials and the others,
/// in the order of the space. The sum is 1. Uses PED-ANOVA (S. Watanabe et al., arXiv 2304.10255), and for
/// conditional parameters arXiv 2601.20800, with the constants of Optuna's PedAnovaImportanceEvaluator. Uses
/// only complete trials with a finite objective. Empty if there are fewer than two of these, or if all have
/// the same value.
std::vector<double> importance(const Space& space, std::span<const Observation> trials);

}  // namespace kml::sweep
