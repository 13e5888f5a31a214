#include "sweep/samplers/cmaes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kml/core/error.h"
#include "sweep/samplers/evolution.h"
#include "sweep/samplers/normal.h"
#include "sweep/samplers/ranking.h"
#include "sweep/samplers/sobol.h"
#include "sweep/samplers/tried.h"

namespace kml::sweep {

namespace {

class CmaEs : public Sampler {
 public:
  CmaEs(const Space& space, SamplerOptions options)
      : space_(space), options_(std::move(options)), spread_(space.dimensions(), options_.seed) {
    for (size_t i = 0; i < space.dimensions(); ++i) {
      const Parameter& parameter = space.parameters()[i];
      if (parameter.kind == Kind::categorical || parameter.condition)
        throw usage_error(
            "cmaes cannot search this space",
            parameter.name + (parameter.condition ? " depends on another parameter" : " is categorical"),
            "choose multivariate-tpe");
    }
  }

  std::optional<Point> propose(std::uint64_t trial, const History& seen) override {
    tried_.follow(seen);
    follow(seen.ended);
    Stream stream(options_.seed, trial, Purpose::draw);
    return first_untried(space_, tried_, Stream(options_.seed, trial, Purpose::scan),
                         [&](int attempt) { return drawn(trial, attempt, stream); });
  }

 private:
  using Seen = std::pair<std::uint64_t, double>;

  /// The first attempts of consecutive trials are spread evenly over the normal distribution (O. Teytaud and
  /// S. Gelly, "DCMA: yet another derandomization in covariance-matrix-adaptation", GECCO 2007). Outside of
  /// the cube, another is drawn a few times before it is cut.
  Point drawn(std::uint64_t trial, int attempt, Stream& stream) const {
    constexpr int kRedraws = 20;
    // What was tried before, or is not allowed, leads further out.
    const double reach = 1 + 0.1 * std::max(0, attempt - 20);
    std::vector<double> unit = spread_.point(static_cast<std::uint32_t>(trial));
    Eigen::VectorXd place, normal(static_cast<long>(unit.size()));
    for (int draw = attempt > 0; draw <= kRedraws; ++draw) {
      if (draw > 0)
        for (double& coordinate : unit) coordinate = stream.uniform();
      for (size_t i = 0; i < unit.size(); ++i)
        normal[static_cast<long>(i)] = reach * normal_quantile(unit[i]);
      place = evolution_->place(normal);
      if (is_inside(place)) break;
    }
    place = place.cwiseMax(0).cwiseMin(1);
    return space_.from_unit(std::span(place.data(), unit.size()));
  }

  /// Along the continuous axes; for the others, cutting is no different from their last value.
  bool is_inside(const Eigen::VectorXd& place) const {
    for (size_t i = 0; i < space_.dimensions(); ++i)
      if (const double x = place[static_cast<long>(i)]; space_.values(i) == 0 && (x < 0 || x > 1))
        return false;
    return true;
  }

  static double value_of(const Observation& trial) {
    const bool failed = trial.state == TrialState::diverged || trial.state == TrialState::failed;
    const double value = failed                ? NAN
                         : trial.objective     ? *trial.objective
                         : trial.curve.empty() ? NAN
                                               : trial.curve.back().second;
    return std::isfinite(value) ? value : std::numeric_limits<double>::infinity();
  }

  /// Brings the evolution to where these trials lead, from the start if it was elsewhere.
  void follow(std::span<const Observation> ended) {
    for (size_t i = 0; i < learned_.size(); ++i)
      if (i >= ended.size() || learned_[i] != Seen{ended[i].trial, value_of(ended[i])}) {
        evolution_.reset();
        break;
      }
    if (!evolution_) {
      learned_.clear();
      restarts_ = 0;
      begin(first_mean());
    }
    for (size_t count;
         count = static_cast<size_t>(evolution_->population()), ended.size() - learned_.size() >= count;) {
      std::vector<const Observation*> generation;
      for (const Observation& one : ended.subspan(learned_.size(), count)) {
        generation.push_back(&one);
        learned_.emplace_back(one.trial, value_of(one));
      }
      generation = best_of(generation, count, {}, 0);
      if (value_of(*generation.front()) == value_of(*generation.back())) {
        restart();  // there is no slope here, or nothing but failures
        continue;
      }
      std::vector<Eigen::VectorXd> places;
      for (const Observation* one : generation) places.push_back(place_of(one->point));
      evolution_->advance(places);
      if (evolution_->is_narrow()) restart();
    }
  }

  Eigen::VectorXd place_of(const Point& point) const {
    const std::vector<double> unit = space_.to_unit(point);
    return Eigen::Map<const Eigen::VectorXd>(unit.data(), static_cast<long>(unit.size()));
  }

  /// The middle, or the best of another sweep.
  Eigen::VectorXd first_mean() const {
    const Observation* best = nullptr;
    for (const Observation& one : options_.warm_start)
      if (std::isfinite(value_of(one)) && (!best || value_of(one) < value_of(*best))) best = &one;
    return best ? place_of(best->point) : Eigen::VectorXd(Eigen::VectorXd::Constant(axes(), 0.5));
  }

  void restart() {
    Stream stream(options_.seed, static_cast<std::uint64_t>(++restarts_), Purpose::restart);
    Eigen::VectorXd mean(axes());
    for (double& coordinate : mean) coordinate = stream.uniform();
    begin(mean);
  }

  void begin(const Eigen::VectorXd& mean) {
    constexpr int kMostDoublings = 8;
    evolution_.emplace(mean, Evolution::default_population(axes()) << std::min(restarts_, kMostDoublings),
                       [space = space_](size_t axis, double place) {
                         if (space.values(axis) == 0) return 0.0;
                         const auto [low, high] = space.cell(axis, space.value_at(axis, place));
                         return std::min(low > 0 ? place - low : 1.0, high < 1 ? high - place : 1.0);
                       });
  }

  long axes() const { return static_cast<long>(space_.dimensions()); }

  Space space_;
  SamplerOptions options_;
  Sobol spread_;
  Tried tried_;
  std::optional<Evolution> evolution_;
  std::vector<Seen> learned_;  ///< what the evolution has taken in, in its order
  int restarts_ = 0;
};

}  // namespace

std::unique_ptr<Sampler> make_cmaes(const Space& space, SamplerOptions options) {
  return std::make_unique<CmaEs>(space, std::move(options));
}

}  // namespace kml::sweep
