#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "kml/sweep/samplers/sampler.h"
#include "sweep/samplers/tried.h"

namespace kml::sweep {

/// Samplers that ignore results: grid, random, sobol. Each computes its own earlier proposals again to avoid
/// them, so any process can draw all trials beforehand.
class FixedSampler : public Sampler {
 public:
  std::optional<Point> propose(std::uint64_t trial, const History& seen) final;
  bool is_static() const final { return true; }

 protected:
  /// Called for trials 0, 1, 2, ... in turn, until it returns empty.
  virtual std::optional<Point> draw(std::uint64_t trial, const Tried& earlier) = 0;

 private:
  std::vector<Point> proposals_;
  Tried tried_;
  bool exhausted_ = false;
};

std::unique_ptr<Sampler> make_grid(const Space& space);
std::unique_ptr<Sampler> make_random(const Space& space, std::uint64_t seed);
std::unique_ptr<Sampler> make_sobol(const Space& space, std::uint64_t seed);

/// Tree-structured Parzen estimator (S. Watanabe, arXiv 2304.11127). One density is made from the
/// min(ceil(n/10), 25) best trials, another from the other and the running trials. Of 24 draws from the
/// first density, proposes the one with the greatest ratio of the two. With `joint`, a density covers all
/// parameters instead of one each.
std::unique_ptr<Sampler> make_tpe(const Space& space, SamplerOptions options, bool joint);

/// Bayesian optimization with a Gaussian process over the unit cube. Proposes the point of greatest expected
/// improvement. Finds it by local searches from the best of many candidates: by gradient along continuous
/// parameters, and by trying values along the others. If no parameter is categorical or conditional, searches
/// in turn the whole space and a box around the best trial (trust_region.h), after ten trials a parameter.
std::unique_ptr<Sampler> make_gp(const Space& space, SamplerOptions options);

/// CMA-ES over numeric parameters. A generation consists of the trials that end next, so no trial waits for
/// the slowest. After convergence it restarts elsewhere with a population twice as large (A. Auger and N.
/// Hansen, "A restart CMA evolution strategy with increasing population size", CEC 2005). Throws usage Error
/// for categorical and conditional parameters.
std::unique_ptr<Sampler> make_cmaes(const Space& space, SamplerOptions options);

/// Population-based training (M. Jaderberg et al., arXiv 1711.09846), with the steps of Katib
/// (pkg/suggestion/v1beta1/pbt/service.py). The first trial of each member has random values. A later trial
/// continues the member whose last trial ended first. If that is among the worst, it takes the values and the
/// checkpoint of one of the best (exploit); otherwise it continues from its own checkpoint, with values that
/// are multiplied by 0.8 or 1.2, or drawn again (explore). Categories and lists move to a neighbor.
std::unique_ptr<Sampler> make_population(const Space& space, SamplerOptions options);

}  // namespace kml::sweep
