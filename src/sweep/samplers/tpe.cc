// Splits the finished trials into the best few and the rest, and makes a density (Parzen) from each group.
// Draws candidates from the density of the best, and keeps the candidate with the highest ratio of the two
// densities. Each trial number has its own stream of random numbers, so that a process that continues after
// another one has died proposes the same points.

#include "sweep/samplers/all_samplers.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "sweep/samplers/parzen.h"
#include "sweep/samplers/ranking.h"
#include "sweep/samplers/sobol.h"
#include "sweep/samplers/tried.h"

namespace kml::sweep {

namespace {

constexpr int kStartup = 10;
constexpr size_t kCandidates = 24;
constexpr int kBatches = 10;  ///< batches of candidates, in case all candidates in a batch were tried before

size_t count_of_best(size_t trials) {
  return std::min<size_t>((trials + 9) / 10, 25);
}

class Tpe : public Sampler {
 public:
  Tpe(const Space& space, SamplerOptions options, bool joint)
      : space_(space),
        options_(std::move(options)),
        startup_(space.dimensions(), options_.seed),
        cache_(space) {
    std::vector<size_t> all(space.dimensions());
    std::iota(all.begin(), all.end(), size_t{0});
    if (joint)
      groups_ = {all};
    else
      for (const size_t one : all) groups_.push_back({one});
  }

  std::optional<Point> propose(std::uint64_t trial, const History& seen) override {
    tried_.follow(seen);
    Stream stream(options_.seed, trial, Purpose::candidates);
    const size_t known = seen.ended.size() + options_.warm_start.size();
    if (known >= static_cast<size_t>(std::max(options_.startup.value_or(kStartup), 1))) {
      const Model model = fit(seen);
      for (int batch = 0; batch < kBatches; ++batch)
        if (auto point = best_candidate(model, stream)) return point;
    }
    Stream retry(options_.seed, trial, Purpose::retry);
    return first_untried(space_, tried_, Stream(options_.seed, trial, Purpose::scan), [&](int attempt) {
      if (attempt == 0 && known < static_cast<size_t>(options_.startup.value_or(kStartup)))
        return space_.from_unit(startup_.point(static_cast<std::uint32_t>(trial)));
      std::vector<double> unit(space_.dimensions());
      for (double& coordinate : unit) coordinate = retry.uniform();
      return space_.from_unit(unit);
    });
  }

 private:
  /// A pair of densities for each group of parameters.
  struct Model {
    std::vector<Parzen> good, other;
  };

  Model fit(const History& seen) {
    std::vector<const Observation*> ended;
    std::vector<size_t> slots;
    for (const Observation& one : options_.warm_start)
      ended.push_back(&one), slots.push_back(cache_.slot_of(one, true));
    for (const Observation& one : seen.ended)
      ended.push_back(&one), slots.push_back(cache_.slot_of(one, false));
    // Running trials may have passed rungs, but they are treated as bad as long as their values are unknown.
    const auto best = best_of(ended, count_of_best(ended.size()), options_.rungs, space_.dimensions());
    const std::unordered_set<const Observation*> is_best(best.begin(), best.end());
    std::vector<size_t> good, other;
    for (size_t i = 0; i < ended.size(); ++i) (is_best.contains(ended[i]) ? good : other).push_back(slots[i]);
    for (const Observation& one : seen.running) other.push_back(cache_.slot_of(one, false));
    Model model;
    for (const std::vector<size_t>& group : groups_) {
      model.good.emplace_back(space_, group, cache_, good);
      model.other.emplace_back(space_, group, cache_, other);
    }
    return model;
  }

  /// The point that combines the best value of each parameter was often tried before, mainly if all
  /// parameters are discrete. Drawing again would give the same values, so whole points are then drawn from
  /// the same densities, and compared.
  std::optional<Point> best_candidate(const Model& model, Stream& stream) {
    if (groups_.size() > 1)
      if (auto point = best_of_each(model, stream)) return point;
    return best_joint(model, stream);
  }

  /// The best untried candidate, judging all its parameters together.
  std::optional<Point> best_joint(const Model& model, Stream& stream) {
    std::vector<Point> points;
    std::vector<std::vector<double>> units;
    for (size_t i = 0; i < 4 * kCandidates && points.size() < kCandidates; ++i) {
      std::vector<double> unit(space_.dimensions());
      for (const Parzen& good : model.good) good.draw(stream, unit);
      Point point = space_.from_unit(unit);
      if (!space_.allows(point) || tried_.contains(point)) continue;
      points.push_back(std::move(point));
      units.push_back(std::move(unit));
    }
    if (points.empty()) return std::nullopt;
    std::vector<double> gain(points.size());
    for (size_t g = 0; g < groups_.size(); ++g) add_gain(model.good[g], model.other[g], points, units, gain);
    return points[place_of_most(gain)];
  }

  /// A point made of each parameter's best value.
  std::optional<Point> best_of_each(const Model& model, Stream& stream) {
    std::vector<double> chosen(space_.dimensions(), 0.5);
    for (size_t g = 0; g < groups_.size(); ++g) {
      const size_t parameter = groups_[g][0];
      std::vector<Point> points;
      std::vector<std::vector<double>> units;
      for (size_t i = 0; i < kCandidates; ++i) {
        units.push_back(chosen);
        model.good[g].draw(stream, units.back());
        points.push_back(Point(space_.dimensions()));
        points.back()[parameter] = space_.value_at(parameter, units.back()[parameter]);
      }
      std::vector<double> gain(points.size());
      add_gain(model.good[g], model.other[g], points, units, gain);
      chosen = units[place_of_most(gain)];
    }
    Point point = space_.from_unit(chosen);
    if (!space_.allows(point) || tried_.contains(point)) return std::nullopt;
    return point;
  }

  static size_t place_of_most(const std::vector<double>& gain) {
    return static_cast<size_t>(std::max_element(gain.begin(), gain.end()) - gain.begin());
  }

  /// Adds the logarithms of the ratios of the two densities.
  static void add_gain(const Parzen& good, const Parzen& other, std::span<const Point> points,
                       std::span<const std::vector<double>> units, std::vector<double>& gain) {
    const std::vector<double> up = good.log_density(points, units), down = other.log_density(points, units);
    for (size_t i = 0; i < points.size(); ++i) gain[i] += up[i] - down[i];
  }

  Space space_;
  SamplerOptions options_;
  Sobol startup_;
  UnitCache cache_;
  Tried tried_;
  std::vector<std::vector<size_t>> groups_;
};

}  // namespace

std::unique_ptr<Sampler> make_tpe(const Space& space, SamplerOptions options, bool joint) {
  return std::make_unique<Tpe>(space, std::move(options), joint);
}

}  // namespace kml::sweep
