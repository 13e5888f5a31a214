#include "sweep/samplers/all_samplers.h"

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "sweep/samplers/sobol.h"

namespace kml::sweep {

namespace {

class Grid : public FixedSampler {
 public:
  explicit Grid(const Space& space) : space_(space) {
    if (space.size()) return;
    std::vector<std::string> endless;
    for (size_t i = 0; i < space.dimensions(); ++i)
      if (space.values(i) == 0) endless.push_back(space.parameters()[i].name);
    throw usage_error(
        "grid needs a finite search space",
        endless.empty() ? "it has more than 2^53 points" : join(endless, ", ") + " can take any value",
        "give a step, list values, or choose another algorithm");
  }

 protected:
  std::optional<Point> draw(std::uint64_t, const Tried&) override {
    while (next_ < *space_.size())
      if (Point point = space_.grid_point(next_++); space_.allows(point)) return point;
    return std::nullopt;
  }

 private:
  Space space_;
  std::uint64_t next_ = 0;
};

class Random : public FixedSampler {
 public:
  Random(const Space& space, std::uint64_t seed) : space_(space), seed_(seed) {}

 protected:
  std::optional<Point> draw(std::uint64_t trial, const Tried& earlier) override {
    Stream stream(seed_, trial, Purpose::draw);
    std::vector<double> unit(space_.dimensions());
    return first_untried(space_, earlier, Stream(seed_, trial, Purpose::scan), [&](int attempt) {
      place(attempt, trial, stream, unit);
      return space_.from_unit(unit);
    });
  }

  virtual void place(int, std::uint64_t, Stream& stream, std::vector<double>& unit) const {
    for (double& coordinate : unit) coordinate = stream.uniform();
  }

  Space space_;
  std::uint64_t seed_;
};

/// Trial t gets point t of the sequence. If that point was tried or is not allowed, draws random points.
class SobolSequence : public Random {
 public:
  SobolSequence(const Space& space, std::uint64_t seed)
      : Random(space, seed), sequence_(space.dimensions(), seed) {}

 protected:
  void place(int attempt, std::uint64_t trial, Stream& stream, std::vector<double>& unit) const override {
    if (attempt == 0)
      unit = sequence_.point(static_cast<std::uint32_t>(trial));
    else
      Random::place(attempt, trial, stream, unit);
  }

 private:
  Sobol sequence_;
};

}  // namespace

std::optional<Point> FixedSampler::propose(std::uint64_t trial, const History&) {
  while (proposals_.size() <= trial && !exhausted_) {
    std::optional<Point> point = draw(proposals_.size(), tried_);
    exhausted_ = !point;
    if (!point) break;
    tried_.add(*point);
    proposals_.push_back(std::move(*point));
  }
  if (trial >= proposals_.size()) return std::nullopt;
  return proposals_[trial];
}

std::unique_ptr<Sampler> make_grid(const Space& space) {
  return std::make_unique<Grid>(space);
}

std::unique_ptr<Sampler> make_random(const Space& space, std::uint64_t seed) {
  return std::make_unique<Random>(space, seed);
}

std::unique_ptr<Sampler> make_sobol(const Space& space, std::uint64_t seed) {
  return std::make_unique<SobolSequence>(space, seed);
}

}  // namespace kml::sweep
