#pragma once

#include <memory>

#include "kml/sweep/samplers/sampler.h"

namespace kml::sweep {

/// Bayesian optimization: a Gaussian process over the unit cube, and the place of the greatest expected
/// improvement, which is sought from the best of many candidates by local searches: by slope along continuous
/// parameters, value by value along the others.
std::unique_ptr<Sampler> make_gp(const Space& space, SamplerOptions options);

}  // namespace kml::sweep
