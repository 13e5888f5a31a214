#include "sweep/samplers/evolution.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "sweep/samplers/normal.h"

namespace kml::sweep {

namespace {

constexpr double kNarrow = 1e-7;  ///< of the unit interval

}  // namespace

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
  // Places of an earlier generation, or another sweep's, may be far out: their steps are cut, as in N.
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

}  // namespace kml::sweep
