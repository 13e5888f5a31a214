#pragma once

#include <memory>

#include "kml/sweep/samplers/sampler.h"

namespace kml::sweep {

/// Tree-structured Parzen estimator (S. Watanabe, arXiv 2304.11127): the min(ceil(n/10), 25) best trials make
/// one density, all others and those that run another; of 24 draws from the first, the one where the ratio of
/// both is greatest is tried. `joint`: one density over all parameters instead of one each.
std::unique_ptr<Sampler> make_tpe(const Space& space, SamplerOptions options, bool joint);

}  // namespace kml::sweep
