#include "sweep/samplers/improvement.h"

#include <Eigen/Cholesky>
#include <cmath>

#include "sweep/samplers/normal.h"
#include "sweep/samplers/sobol.h"

namespace kml::sweep {

namespace {

constexpr long kSamples = 128;
constexpr double kLeastVariance = 1e-12;

double log_density(double z) {
  return -0.5 * z * z - kLogSqrt2Pi;
}

/// The logarithm of the mean of exp.
double log_mean(const Eigen::ArrayXd& logs) {
  const double most = logs.maxCoeff();
  return most + std::log((logs - most).exp().mean());
}

/// Columns of standard normal numbers, one a sample.
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
  // The first n rows of L^-1 y do not depend on what runs; a standard normal number stands for each of the
  // others.
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
  // Shares of the samples in the mean; d log h / dz = Phi / h, and d log(s h(z)) / ds = phi / (s h).
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
