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
  /// the fraction of the members that is replaced: the worst ones, by as many of the best
  double truncation = 0.2;
  /// The probability with which a new value is drawn for a parameter. Empty means that values are changed by
  /// a fifth instead.
  std::optional<double> resample = {};
};

struct SamplerOptions {
  std::uint64_t seed = 0;
  /// How many trials must have ended, including those of `warm_start`, before a model is fitted. Until then,
  /// trials are drawn without regard to the history. By default, 10 for TPE, and 6 to 12 for the Gaussian
  /// process, depending on the number of parameters.
  std::optional<int> startup = {};
  /// With early stopping: the resources of the rungs. TPE and the Gaussian process are then fitted at the
  /// highest rung that enough trials have reached (BOHB, arXiv 1807.01774).
  std::vector<double> rungs = {};
  /// Trials of other sweeps, as points of this space. TPE, the Gaussian process and CMA-ES learn from them,
  /// but may propose the same points again.
  std::vector<Observation> warm_start = {};
  Population population = {};
  size_t objectives = 1;  ///< if more than 1, the Gaussian process extends the Pareto front
};

/// Proposes points. A proposal depends only on space, options, trial number and history, so any process can
/// repeat it. Samplers store only caches, which do not change the results. Not thread-safe.
class Sampler {
 public:
  virtual ~Sampler() = default;

  /// The point for trial `trial`, counted from 0. Empty if the space is exhausted: all points were tried, or
  /// no untried point was found that meets the constraints. A population also returns empty while all its
  /// members are running.
  virtual std::optional<Point> propose(std::uint64_t trial, const History& seen) = 0;

  /// The trial whose training this trial continues. Call this after propose() for the same trial. Empty
  /// unless the sampler trains a population.
  virtual std::optional<Lineage> lineage(std::uint64_t /*trial*/, const History& /*seen*/) { return {}; }

  /// Whether proposals are independent of the history. All of them can then be drawn in advance.
  virtual bool is_static() const { return false; }
};

/// The names of all samplers: grid, random, sobol, tpe (which models each parameter separately),
/// multivariate-tpe, bayesianoptimization, cmaes, pbt.
const std::vector<std::string>& sampler_names();

/// The names of samplers that can search for the Pareto front of several objectives: grid, random, sobol,
/// bayesianoptimization.
const std::vector<std::string>& front_sampler_names();

/// The sampler that `auto` selects: grid if the whole space fits the budget; bayesianoptimization for at most
/// 20 parameters and 500 trials, or for several objectives; otherwise multivariate-tpe. 0 for `trials` means
/// no limit.
std::string choose_sampler(const Space& space, std::uint64_t trials, size_t objectives = 1);

/// Throws usage Error for an unknown name, or if the sampler cannot search that space or cannot search for a
/// Pareto front.
std::unique_ptr<Sampler> make_sampler(const std::string& name, const Space& space,
                                      SamplerOptions options = {});

}  // namespace kml::sweep
