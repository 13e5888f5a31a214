#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kml/sweep/space/space.h"
#include "kml/sweep/trial/history.h"

namespace kml::sweep {

/// The settings of population-based training.
struct Population {
  int members = 10;
  double truncation = 0.2;  ///< the part of the members that is replaced, and the part that replaces it
  /// The probability with which a value is drawn anew; empty: values are changed by a fifth instead.
  std::optional<double> resample = {};
};

struct SamplerOptions {
  std::uint64_t seed = 0;
  /// The number of trials that are drawn without the history before a model is fitted. The default is 10, or
  /// more with many parameters.
  std::optional<int> startup = {};
  /// With early stopping: the resources of the rungs. TPE is then fitted at the highest rung that enough
  /// trials have reached (BOHB, arXiv 1807.01774).
  std::vector<double> rungs = {};
  /// Trials of other sweeps as points of this space. Samplers learn from them, but may propose the same
  /// points again.
  std::vector<Observation> warm_start = {};
  Population population = {};
  size_t objectives = 1;  ///< if more, proposals extend the Pareto front
};

/// Proposes points. A proposal is a pure function of space, options, trial number and history, so any process
/// can repeat it. Objects keep only caches, which do not change results. Not thread-safe.
class Sampler {
 public:
  virtual ~Sampler() = default;

  /// The point for trial `trial` (counted from 0). Empty if the space is exhausted: either no untried point
  /// is left, or none was found that meets the constraints.
  virtual std::optional<Point> propose(std::uint64_t trial, const History& seen) = 0;

  /// Which training the trial of the same propose() continues; empty unless the sampler trains a population.
  virtual std::optional<Lineage> lineage(std::uint64_t /*trial*/, const History& /*seen*/) { return {}; }

  /// Whether proposals are independent of the history, so that all can be drawn beforehand.
  virtual bool is_static() const { return false; }
};

/// grid, random, sobol, tpe (each parameter by itself), multivariate-tpe, bayesianoptimization, cmaes, pbt.
const std::vector<std::string>& sampler_names();

/// Those that can search for the Pareto front of several objectives: grid, random, sobol,
/// bayesianoptimization.
const std::vector<std::string>& front_sampler_names();

/// The sampler for `auto`: grid if the whole space fits the budget; bayesianoptimization for at most 20
/// parameters and 500 trials, or for several objectives; otherwise multivariate-tpe. `trials` 0 means no
/// limit.
std::string choose_sampler(const Space& space, std::uint64_t trials, size_t objectives = 1);

/// Throws usage Error for an unknown name, or if the sampler cannot search that space or for a front.
std::unique_ptr<Sampler> make_sampler(const std::string& name, const Space& space,
                                      SamplerOptions options = {});

}  // namespace kml::sweep
