#include "sweep/samplers/gaussian_process.h"

#include <LBFGSB.h>
#include <Eigen/Cholesky>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "sweep/samplers/sobol.h"
#include "sweep/space/normal.h"

namespace kml::sweep {

namespace {

constexpr double kLeastNoise = 1e-6;

double squared(Metric metric, double a, double b) {
  if (metric == Metric::distance && !std::isnan(a) && !std::isnan(b)) return (a - b) * (a - b);
  return a == b || (std::isnan(a) && std::isnan(b)) ? 0 : 1;
}

/// The squared distances along one axis between all pairs.
Eigen::MatrixXd squares_of(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, long axis, Metric metric) {
  Eigen::MatrixXd squares(a.rows(), b.rows());
  for (long k = 0; k < b.rows(); ++k)
    for (long i = 0; i < a.rows(); ++i) squares(i, k) = squared(metric, a(i, axis), b(k, axis));
  return squares;
}

/// (1 + r + r^2/3) exp(-r) with r = sqrt(5 q): Rasmussen and Williams, "Gaussian Processes", (4.17).
template <typename Array>
Array matern(const Array& q) {
  const Array r = (5 * q).sqrt();
  return (1 + r + r.square() / 3) * (-r).exp();
}

/// The derivative of the function above with respect to q.
template <typename Array>
Array matern_slope(const Array& q) {
  const Array r = (5 * q).sqrt();
  return -5.0 / 6 * (1 + r) * (-r).exp();
}

/// The negative logarithm of the likelihood times the priors, as a function of the logarithms of narrowness,
/// scale and noise.
class Misfit {
 public:
  Misfit(const Eigen::MatrixXd& rows, const Eigen::VectorXd& y, const std::vector<Metric>& metrics) : y_(y) {
    for (size_t i = 0; i < metrics.size(); ++i)
      squares_.push_back(squares_of(rows, rows, static_cast<long>(i), metrics[i]));
  }

  double operator()(const Eigen::VectorXd& logs, Eigen::VectorXd& gradient) const {
    const long n = y_.size(), axes = static_cast<long>(squares_.size());
    const Eigen::VectorXd values = logs.array().exp();
    const double scale = values[axes], noise = values[axes + 1];
    Eigen::ArrayXXd q = Eigen::ArrayXXd::Zero(n, n);
    for (long i = 0; i < axes; ++i) q += values[i] * squares_[static_cast<size_t>(i)].array();
    const Eigen::ArrayXXd shape = matern(q), slope = matern_slope(q);
    Eigen::MatrixXd covariance = scale * shape;
    covariance.diagonal().array() += noise;
    const Eigen::LLT<Eigen::MatrixXd> factor(covariance);
    if (factor.info() != Eigen::Success) {
      gradient.setZero();
      return 1e10;
    }
    const Eigen::VectorXd weights = factor.solve(y_);
    // The derivative of the misfit with respect to the covariance: (K^-1 - w w^T) / 2.
    Eigen::MatrixXd by_covariance = factor.solve(Eigen::MatrixXd::Identity(n, n));
    by_covariance.noalias() -= weights * weights.transpose();
    by_covariance *= 0.5;
    const Eigen::ArrayXXd by_distance = by_covariance.array() * slope * scale;
    double misfit = 0.5 * y_.dot(weights) + Eigen::MatrixXd(factor.matrixL()).diagonal().array().log().sum();
    for (long i = 0; i < axes; ++i) {
      misfit += 0.1 / values[i] + 0.1 * values[i];
      gradient[i] = values[i] * (by_distance * squares_[static_cast<size_t>(i)].array()).sum() -
                    0.1 / values[i] + 0.1 * values[i];
    }
    misfit += scale - std::log(scale) + 30 * noise - 0.1 * std::log(noise);
    gradient[axes] = scale * (by_covariance.array() * shape).sum() + scale - 1;
    gradient[axes + 1] = noise * by_covariance.trace() + 30 * noise - 0.1;
    return misfit;
  }

 private:
  std::vector<Eigen::MatrixXd> squares_;
  const Eigen::VectorXd& y_;
};

}  // namespace

Eigen::MatrixXd Kernel::operator()(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) const {
  Eigen::ArrayXXd q = Eigen::ArrayXXd::Zero(a.rows(), b.rows());
  for (long i = 0; i < narrowness.size(); ++i)
    q += narrowness[i] * squares_of(a, b, i, metrics[static_cast<size_t>(i)]).array();
  return (scale * matern(q)).matrix();
}

Eigen::VectorXd Kernel::slope(const Eigen::MatrixXd& rows, const Eigen::VectorXd& weights,
                              const Eigen::VectorXd& x) const {
  Eigen::ArrayXd q = Eigen::ArrayXd::Zero(rows.rows());
  for (long i = 0; i < x.size(); ++i)
    q += narrowness[i] * squares_of(rows, x.transpose(), i, metrics[static_cast<size_t>(i)]).array();
  const Eigen::ArrayXd by_distance = scale * matern_slope(q) * weights.array();
  Eigen::VectorXd slope = Eigen::VectorXd::Zero(x.size());
  for (long i = 0; i < x.size(); ++i) {
    if (metrics[static_cast<size_t>(i)] != Metric::distance || std::isnan(x[i])) continue;
    // If the parameter is inactive in a trial, that trial has the same distance from every point.
    const auto difference = (x[i] - rows.col(i).array());
    slope[i] = 2 * narrowness[i] * (by_distance * difference.isNaN().select(0, difference)).sum();
  }
  return slope;
}

Kernel fitted_kernel(const Eigen::MatrixXd& rows, const Eigen::VectorXd& y, std::vector<Metric> metrics) {
  const long axes = rows.cols();
  Eigen::VectorXd logs = Eigen::VectorXd::Zero(axes + 2);
  logs[axes + 1] = std::log(1e-2);
  Eigen::VectorXd low = Eigen::VectorXd::Constant(axes + 2, std::log(1e-4)),
                  high = Eigen::VectorXd::Constant(axes + 2, std::log(1e4));
  low[axes + 1] = std::log(kLeastNoise);
  const Misfit misfit(rows, y, metrics);
  // If the line search fails, it throws. Then the best values so far are used.
  double least = std::numeric_limits<double>::infinity();
  Eigen::VectorXd best = logs;
  auto watched = [&](const Eigen::VectorXd& at, Eigen::VectorXd& gradient) {
    const double value = misfit(at, gradient);
    if (value < least) {
      least = value;
      best = at;
    }
    return value;
  };
  LBFGSpp::LBFGSBParam<double> options;
  options.max_iterations = 60;
  options.epsilon = options.epsilon_rel = 1e-3;
  options.past = 3;
  options.delta = 1e-5;
  try {
    LBFGSpp::LBFGSBSolver<double> solver(options);
    double value = 0;
    solver.minimize(watched, logs, value, low, high);
  } catch (const std::exception&) {
  }
  return {std::move(metrics), best.head(axes).array().exp(), std::exp(best[axes]), std::exp(best[axes + 1])};
}

Eigen::MatrixXd cholesky_of(const Kernel& kernel, const Eigen::MatrixXd& rows) {
  Eigen::MatrixXd covariance = kernel(rows, rows);
  for (double noise = kernel.noise;; noise *= 10) {
    covariance.diagonal().setConstant(kernel.scale + noise);
    const Eigen::LLT<Eigen::MatrixXd> factor(covariance);
    if (factor.info() == Eigen::Success) return factor.matrixL();
  }
}

namespace {

constexpr long kSamples = 128;
constexpr double kLeastVariance = 1e-12;

double log_density(double z) {
  return -0.5 * z * z - kLogSqrt2Pi;
}

/// The logarithm of the mean of the exponentials of `logs`.
double log_mean(const Eigen::ArrayXd& logs) {
  const double most = logs.maxCoeff();
  return most + std::log((logs - most).exp().mean());
}

/// Columns of standard normal numbers, one for each sample.
Eigen::MatrixXd normal_samples(long dimensions, std::uint64_t seed) {
  const Sobol sobol(static_cast<size_t>(dimensions), seed);
  Eigen::MatrixXd samples(dimensions, kSamples);
  for (long s = 0; s < kSamples; ++s) {
    const std::vector<double> unit = sobol.point(static_cast<std::uint32_t>(s));
    for (long i = 0; i < dimensions; ++i) samples(i, s) = normal_quantile(unit[static_cast<size_t>(i)]);
  }
  return samples;
}

}  // namespace

double log_improvement(double z) {
  if (z < -20) {  // the asymptotic series of 1 + z Phi(z) / phi(z)
    const double y = 1 / (z * z);
    return log_density(z) + std::log(y) + std::log1p(-y * (3 - y * (15 - 105 * y)));
  }
  if (z > -1) return std::log(normal_density(z) + z * normal_cdf(z));
  return log_density(z) + std::log1p(z * std::exp(log_normal_cdf(z) - log_density(z)));
}

Improvement::Improvement(Kernel kernel, const Eigen::MatrixXd& rows, const Eigen::VectorXd& y,
                         const Eigen::MatrixXd& running, std::uint64_t seed, bool noise_counts)
    : kernel_(std::move(kernel)), noise_(noise_counts ? kernel_.noise : 0) {
  const long n = rows.rows(), b = running.rows();
  rows_.resize(n + b, rows.cols());
  rows_ << rows, running;
  factor_ = cholesky_of(kernel_, rows_);
  // The first n rows of L^-1 y do not depend on the running trials. Each other row is a standard normal
  // number.
  Eigen::MatrixXd whitened(n + b, b > 0 ? kSamples : 1);
  const Eigen::VectorXd known = factor_.topLeftCorner(n, n).triangularView<Eigen::Lower>().solve(y);
  whitened.topRows(n).colwise() = known;
  best_ = Eigen::RowVectorXd::Constant(whitened.cols(), y.minCoeff());
  if (b > 0) {
    whitened.bottomRows(b) = normal_samples(b, seed);
    const Eigen::MatrixXd values = factor_.bottomRows(b) * whitened;
    best_ = best_.cwiseMin(values.colwise().minCoeff());
  }
  weights_ = factor_.triangularView<Eigen::Lower>().transpose().solve(whitened);
}

double Improvement::deviation(double explained) const {
  return std::sqrt(std::max(kernel_.scale - explained + noise_, kLeastVariance));
}

Eigen::VectorXd Improvement::at(const Eigen::MatrixXd& places) const {
  Eigen::MatrixXd covariance = kernel_(rows_, places);
  const Eigen::MatrixXd means = covariance.transpose() * weights_;
  factor_.triangularView<Eigen::Lower>().solveInPlace(covariance);
  Eigen::VectorXd logs(places.rows());
  Eigen::ArrayXd each(means.cols());
  for (long i = 0; i < places.rows(); ++i) {
    const double deviation = this->deviation(covariance.col(i).squaredNorm());
    for (long s = 0; s < means.cols(); ++s) each[s] = log_improvement((best_[s] - means(i, s)) / deviation);
    logs[i] = std::log(deviation) + log_mean(each);
  }
  return logs;
}

double Improvement::at(const Eigen::VectorXd& place, Eigen::VectorXd* slope) const {
  const Eigen::VectorXd covariance = kernel_(rows_, place.transpose());
  const Eigen::VectorXd half = factor_.triangularView<Eigen::Lower>().solve(covariance);
  const double deviation = this->deviation(half.squaredNorm());
  const Eigen::ArrayXd z = (best_ - covariance.transpose() * weights_).transpose().array() / deviation;
  const Eigen::ArrayXd logs = z.unaryExpr(&log_improvement);
  const double value = std::log(deviation) + log_mean(logs);
  if (!slope) return value;
  // The share of each sample in the mean: d log h / dz = Phi / h, and d log(s h(z)) / ds = phi / (s h).
  const Eigen::ArrayXd share = (logs - log_mean(logs)).exp() / static_cast<double>(logs.size());
  const Eigen::ArrayXd cdf_part = (z.unaryExpr(&log_normal_cdf) - logs).exp(),
                       density_part = (z.unaryExpr(&log_density) - logs).exp();
  const Eigen::VectorXd by_mean = -share * cdf_part / deviation;
  const double by_variance = (share * density_part).sum() / (2 * deviation * deviation);
  const Eigen::VectorXd inverse = factor_.triangularView<Eigen::Lower>().transpose().solve(half);
  const Eigen::VectorXd by_covariance = weights_ * by_mean - 2 * by_variance * inverse;
  *slope = kernel_.slope(rows_, by_covariance, place);
  return value;
}

}  // namespace kml::sweep
