#pragma once

#include <functional>
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

}  // namespace kml::sweep
