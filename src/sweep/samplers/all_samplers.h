#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "kml/sweep/samplers/sampler.h"
#include "sweep/samplers/tried.h"

namespace kml::sweep {

/// Samplers that look at no results: grid, random, sobol. Each avoids its own earlier proposals, which it
/// works out by itself, so that all trials may be drawn beforehand, and by anybody.
class FixedSampler : public Sampler {
 public:
  std::optional<Point> propose(std::uint64_t trial, const History& seen) final;
  bool is_static() const final { return true; }

 protected:
  /// Called for trials 0, 1, 2, ... in turn, until it finds nothing more.
  virtual std::optional<Point> draw(std::uint64_t trial, const Tried& earlier) = 0;

 private:
  std::vector<Point> proposals_;
  Tried tried_;
  bool exhausted_ = false;
};

std::unique_ptr<Sampler> make_grid(const Space& space);
std::unique_ptr<Sampler> make_random(const Space& space, std::uint64_t seed);
std::unique_ptr<Sampler> make_sobol(const Space& space, std::uint64_t seed);

/// Tree-structured Parzen estimator (S. Watanabe, arXiv 2304.11127): the min(ceil(n/10), 25) best trials make
/// one density, all others and those that run another; of 24 draws from the first, the one where the ratio of
/// both is greatest is tried. `joint`: one density over all parameters instead of one each.
std::unique_ptr<Sampler> make_tpe(const Space& space, SamplerOptions options, bool joint);

/// Bayesian optimization: a Gaussian process over the unit cube, and the place of the greatest expected
/// improvement, which is sought from the best of many candidates by local searches: by slope along continuous
/// parameters, value by value along the others.
std::unique_ptr<Sampler> make_gp(const Space& space, SamplerOptions options);

/// CMA-ES over numeric parameters. A generation is as many trials as end next, so that nobody waits for the
/// slowest; where it converged it begins again elsewhere with a population twice as large (A. Auger and N.
/// Hansen, "A restart CMA evolution strategy with increasing population size", CEC 2005). Throws usage Error
/// for categorical and conditional parameters.
std::unique_ptr<Sampler> make_cmaes(const Space& space, SamplerOptions options);

}  // namespace kml::sweep
