#include "sweep/samplers/all_samplers.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "kml/base/error.h"
#include "sweep/samplers/ranking.h"
#include "sweep/samplers/sobol.h"
#include "sweep/samplers/tried.h"
#include "sweep/space/normal.h"

namespace kml::sweep {

namespace {

/// The state of CMA-ES, with the default constants and negative weights of N. Hansen, "The CMA Evolution
/// Strategy: A Tutorial", arXiv 1604.00772. `places` are points in the unit cube.
class Evolution {
 public:
  /// The distance along an axis from a point to the nearest point with a different value; 0 if the axis is
  /// continuous.
  using ToOther = std::function<double(size_t axis, double place)>;

  Evolution(Eigen::VectorXd mean, int population, ToOther to_other);

  static int default_population(long dimensions);
  int population() const { return population_; }

  /// The point for these standard normal numbers. It may be outside the cube.
  Eigen::VectorXd place(const Eigen::VectorXd& normal) const;
  /// Advances by one generation. `places` has as many items as the population, with the best first.
  void advance(std::span<const Eigen::VectorXd> places);
  /// Whether the distribution is too narrow to find anything new.
  bool is_narrow() const;

 private:
  void set_margin();

  long n_;
  int population_;
  ToOther to_other_;
  std::vector<double> weights_;
  double mu_eff_ = 0, c_sigma_ = 0, d_sigma_ = 0, c_c_ = 0, c_1_ = 0, c_mu_ = 0, expected_length_ = 0;
  Eigen::VectorXd mean_, path_sigma_, path_c_;
  Eigen::MatrixXd covariance_, axes_;  ///< axes_ contains the eigenvectors
  Eigen::VectorXd lengths_;            ///< the square roots of the eigenvalues
  double sigma_ = 1.0 / 6;
  /// Stretches the axes of discrete parameters so that values other than the mean's have a probability of at
  /// least 1 / (n * population). This is the margin in R. Hamano et al., arXiv 2205.13482.
  Eigen::VectorXd margin_;
  int generations_ = 0;
};

constexpr double kNarrow = 1e-7;  ///< relative to the unit interval

int Evolution::default_population(long dimensions) {
  return 4 + static_cast<int>(std::floor(3 * std::log(static_cast<double>(dimensions))));
}

// Equations (48) to (58) of the tutorial.
Evolution::Evolution(Eigen::VectorXd mean, int population, ToOther to_other)
    : n_(mean.size()),
      population_(population),
      to_other_(std::move(to_other)),
      mean_(std::move(mean)),
      path_sigma_(Eigen::VectorXd::Zero(n_)),
      path_c_(path_sigma_),
      covariance_(Eigen::MatrixXd::Identity(n_, n_)),
      axes_(covariance_),
      lengths_(Eigen::VectorXd::Ones(n_)),
      margin_(lengths_) {
  const auto n = static_cast<double>(n_);
  double up = 0, up_squares = 0, down = 0, down_squares = 0;
  for (int i = 1; i <= population; ++i) {
    const double weight = std::log((population + 1) / 2.0) - std::log(i);
    weights_.push_back(weight);
    (weight > 0 ? up : down) += std::abs(weight);
    (weight > 0 ? up_squares : down_squares) += weight * weight;
  }
  mu_eff_ = up * up / up_squares;
  const double mu_eff_down = down_squares > 0 ? down * down / down_squares : 0;
  c_sigma_ = (mu_eff_ + 2) / (n + mu_eff_ + 5);
  d_sigma_ = 1 + 2 * std::max(0.0, std::sqrt((mu_eff_ - 1) / (n + 1)) - 1) + c_sigma_;
  c_c_ = (4 + mu_eff_ / n) / (n + 4 + 2 * mu_eff_ / n);
  c_1_ = 2 / (std::pow(n + 1.3, 2) + mu_eff_);
  c_mu_ = std::min(1 - c_1_, 2 * (mu_eff_ - 2 + 1 / mu_eff_) / (std::pow(n + 2, 2) + mu_eff_));
  expected_length_ = std::sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
  const double most_down =
      std::min({1 + c_1_ / c_mu_, 1 + 2 * mu_eff_down / (mu_eff_ + 2), (1 - c_1_ - c_mu_) / (n * c_mu_)});
  for (double& weight : weights_) weight *= weight > 0 ? 1 / up : most_down / down;
  set_margin();
}

Eigen::VectorXd Evolution::place(const Eigen::VectorXd& normal) const {
  return mean_ + sigma_ * margin_.cwiseProduct(axes_ * lengths_.cwiseProduct(normal));
}

void Evolution::advance(std::span<const Eigen::VectorXd> places) {
  ++generations_;
  // Limits the steps, because points from an earlier generation or a different sweep may be far away. See N.
  // Hansen, "Injecting external solutions into CMA-ES", arXiv 1110.4181.
  const double longest = 2 * (std::sqrt(static_cast<double>(n_)) + 1);
  std::vector<Eigen::VectorXd> steps, whitened;
  for (const Eigen::VectorXd& place : places) {
    const Eigen::VectorXd step = (place - mean_).cwiseQuotient(margin_) / sigma_;
    const Eigen::VectorXd white = (axes_.transpose() * step).cwiseQuotient(lengths_);
    const double cut = std::min(1.0, longest / std::max(white.norm(), 1e-300));
    steps.push_back(step * cut);
    whitened.push_back(white * cut);
  }
  Eigen::VectorXd step = Eigen::VectorXd::Zero(n_), white = step;
  for (size_t i = 0; i < steps.size() && weights_[i] > 0; ++i) {
    step += weights_[i] * steps[i];
    white += weights_[i] * whitened[i];
  }
  mean_ = (mean_ + sigma_ * margin_.cwiseProduct(step)).cwiseMax(0).cwiseMin(1);
  path_sigma_ =
      (1 - c_sigma_) * path_sigma_ + std::sqrt(c_sigma_ * (2 - c_sigma_) * mu_eff_) * (axes_ * white);
  const double length = path_sigma_.norm();
  const bool steady = length / std::sqrt(1 - std::pow(1 - c_sigma_, 2 * generations_)) <
                      (1.4 + 2 / (static_cast<double>(n_) + 1)) * expected_length_;
  path_c_ = (1 - c_c_) * path_c_;
  if (steady) path_c_ += std::sqrt(c_c_ * (2 - c_c_) * mu_eff_) * step;
  const Eigen::MatrixXd before = covariance_;
  const double lost = steady ? 0 : c_1_ * c_c_ * (2 - c_c_);
  covariance_ = (1 + lost - c_1_) * covariance_ + c_1_ * path_c_ * path_c_.transpose();
  for (size_t i = 0; i < steps.size(); ++i) {
    const double shrunk =
        weights_[i] < 0 ? static_cast<double>(n_) / std::max(whitened[i].squaredNorm(), 1e-12) : 1;
    covariance_ += c_mu_ * weights_[i] * (shrunk * steps[i] * steps[i].transpose() - before);
  }
  sigma_ =
      std::min(sigma_ * std::exp(std::min(1.0, c_sigma_ / d_sigma_ * (length / expected_length_ - 1))), 1.0);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance_);
  axes_ = solver.eigenvectors();
  lengths_ = solver.eigenvalues().cwiseMax(1e-16).cwiseSqrt();
  covariance_ = axes_ * lengths_.cwiseAbs2().asDiagonal() * axes_.transpose();
  set_margin();
}

void Evolution::set_margin() {
  const double quantile = normal_quantile(1 - 1 / (static_cast<double>(n_) * population_));
  for (long i = 0; i < n_; ++i) {
    const double reach = to_other_(static_cast<size_t>(i), mean_[i]) / quantile;
    margin_[i] = std::max(1.0, reach / (sigma_ * std::sqrt(covariance_(i, i))));
  }
}

bool Evolution::is_narrow() const {
  return (sigma_ * margin_.array() * covariance_.diagonal().array().sqrt()).maxCoeff() < kNarrow;
}

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

  /// Draws a trial's point. The first draws of consecutive trials are spread evenly over the normal
  /// distribution (O. Teytaud and S. Gelly, "DCMA: yet another derandomization in
  /// covariance-matrix-adaptation", GECCO 2007). If the point is outside the cube, draws again a few times,
  /// and then moves it to the edge.
  Point drawn(std::uint64_t trial, int attempt, Stream& stream) const {
    constexpr int kRedraws = 20;
    // Searches farther away if the nearest points were already tried or are not allowed.
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

  /// Only checks the continuous axes. On other axes, moving a point to the edge yields the first or the last
  /// value anyway.
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

  /// Updates the evolution with these trials. Starts over unless the list begins with the trials from which
  /// the evolution has already learned.
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
        restart();  // the values are equal or all trials failed, so there is no direction
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

  /// The center of the cube, or the best point of a different sweep.
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
  std::vector<Seen> learned_;  ///< the trials from which the evolution has learned, in order
  int restarts_ = 0;
};

}  // namespace

std::unique_ptr<Sampler> make_cmaes(const Space& space, SamplerOptions options) {
  return std::make_unique<CmaEs>(space, std::move(options));
}

}  // namespace kml::sweep
