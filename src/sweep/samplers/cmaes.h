#pragma once

#include <memory>

#include "kml/sweep/samplers/sampler.h"

namespace kml::sweep {

/// CMA-ES over numeric parameters. A generation is as many trials as end next, so that nobody waits for the
/// slowest; where it converged it begins anew elsewhere with a population twice as large (A. Auger and N.
/// Hansen, "A restart CMA evolution strategy with increasing population size", CEC 2005). Throws usage Error
/// for categorical and conditional parameters.
std::unique_ptr<Sampler> make_cmaes(const Space& space, SamplerOptions options);

}  // namespace kml::sweep
