#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "kml/sweep/samplers/sampler.h"
#include "sweep/samplers/tried.h"

namespace kml::sweep {

/// Samplers that ignore results: grid, random, sobol. Each of them recomputes its own earlier proposals in
/// order to avoid them, so any process can draw all trials in advance.
class FixedSampler : public Sampler {
 public:
  std::optional<Point> propose(std::uint64_t trial, const History& seen) final;
  bool is_static() const final { return true; }

 protected:
  /// Called for the trials 0, 1, 2, ... in order, until it returns empty.
  virtual std::optional<Point> draw(std::uint64_t trial, const Tried& earlier) = 0;

 private:
  std::vector<Point> proposals_;
  Tried tried_;
  bool exhausted_ = false;
};

std::unique_ptr<Sampler> make_grid(const Space& space);
std::unique_ptr<Sampler> make_random(const Space& space, std::uint64_t seed);
std::unique_ptr<Sampler> make_sobol(const Space& space, std::uint64_t seed);

/// Tree-structured Parzen estimator (S. Watanabe, arXiv 2304.11127). Makes one density from the
/// min(ceil(n/10), 25) best trials, and another one from the other trials, including the running ones. Makes
/// 24 draws from the first density, and proposes the one with the highest ratio of the two densities. With
/// `joint`, a density covers all parameters; otherwise each parameter has its own.
std::unique_ptr<Sampler> make_tpe(const Space& space, SamplerOptions options, bool joint);

/// Bayesian optimization with a Gaussian process over the unit cube. Proposes the point with the highest
/// expected improvement. Finds it by local searches that start from the best of many candidates: along
/// continuous parameters by gradient, along others by trying values. If there is only one objective and no
/// parameter is categorical or conditional, then after ten trials per parameter, searches alternately in the
/// whole space and in a box around the best trial (trust_region.h).
std::unique_ptr<Sampler> make_gp(const Space& space, SamplerOptions options);

/// CMA-ES over numeric parameters. A generation consists of the trials that end next, so that no trial waits
/// for the slowest one. After convergence, restarts elsewhere with twice the population (A. Auger and N.
/// Hansen, "A restart CMA evolution strategy with increasing population size", CEC 2005). Throws usage Error
/// for categorical and conditional parameters.
std::unique_ptr<Sampler> make_cmaes(const Space& space, SamplerOptions options);

/// Population-based training (M. Jaderberg et al., arXiv 1711.09846), with the same steps as in Katib
/// (pkg/suggestion/v1beta1/pbt/service.py). The first trial of each member has random values. A later trial
/// continues a member whose last trial has ended; of several, the one whose last trial has the lowest number.
/// If that trial is among the worst or has no result, the new one takes over the values and the checkpoint of
/// one of the best (exploit), or starts anew if no trial has a result. Otherwise it continues from its own
/// checkpoint, and its values are multiplied by 0.8 or 1.2 or, with a resample probability, kept or drawn
/// again (explore). Categories and lists move to a neighbor.
std::unique_ptr<Sampler> make_population(const Space& space, SamplerOptions options);

}  // namespace kml::sweep
