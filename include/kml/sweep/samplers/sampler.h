#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kml/sweep/space/space.h"
#include "kml/sweep/trial.h"

namespace kml::sweep {

struct SamplerOptions {
  std::uint64_t seed = 0;
  /// Trials drawn without regard to the past before a model is fitted; by default 10, more with many
  /// parameters.
  std::optional<int> startup = {};
  /// Where trials are stopped early: the resources of the rungs. TPE is then fitted at the highest rung that
  /// enough trials reached (BOHB, arXiv 1807.01774).
  std::vector<double> rungs = {};
  /// Another sweep's trials in points of this space. They teach, and do not count as tried.
  std::vector<Observation> warm_start = {};
};

/// Proposes points. A proposal is a pure function of space, options, trial number and history: any process
/// may repeat it, whatever it was asked before. Objects only keep caches that cannot change a result. Not
/// thread-safe.
class Sampler {
 public:
  virtual ~Sampler() = default;

  /// The point of trial `trial` (counted from 0). Empty if no untried point is left or could be found
  /// under the constraints: the space is exhausted.
  virtual std::optional<Point> propose(std::uint64_t trial, const History& seen) = 0;

  /// Whether proposals do not depend on the history, so that all may be drawn beforehand.
  virtual bool is_static() const { return false; }
};

/// grid, random, sobol, tpe (each parameter by itself), multivariate-tpe, bayesianoptimization, cmaes.
const std::vector<std::string>& sampler_names();

/// What `auto` means: grid where all of the space fits the budget; bayesianoptimization up to 8 parameters
/// without conditions and 150 trials; else multivariate-tpe. `trials` 0: no limit.
std::string choose_sampler(const Space& space, std::uint64_t trials);

/// Throws usage Error for an unknown name, and where the sampler cannot search that space.
std::unique_ptr<Sampler> make_sampler(const std::string& name, const Space& space,
                                      SamplerOptions options = {});

}  // namespace kml::sweep
