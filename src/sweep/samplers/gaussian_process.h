#pragma once

#include <Eigen/Core>
#include <vector>

namespace kml::sweep {

/// What tells how far apart two points are along one axis.
enum class Metric {
  distance,  ///< the square of the difference
  equality,  ///< 0 where they are equal, else 1; a NaN (inactive) equals only another
};

/// Matern's kernel of smoothness 5/2 with a scale for each axis, plus noise.
struct Kernel {
  std::vector<Metric> metrics;
  Eigen::VectorXd narrowness;  ///< the inverse squares of the length scales
  double scale = 1;
  double noise = 1e-2;

  /// The covariances of the rows of `a` with the rows of `b`, without noise.
  Eigen::MatrixXd operator()(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) const;
  /// The derivatives of the weighted sum of k(row, x) by the coordinates of x; 0 along axes of
  /// Metric::equality.
  Eigen::VectorXd slope(const Eigen::MatrixXd& rows, const Eigen::VectorXd& weights,
                        const Eigen::VectorXd& x) const;
};

/// The kernel that explains `y` (of mean 0 and variance 1) best: the most likely one under the priors that
/// Optuna documents for its GPSampler: Gamma(2, 1) on the scale, Gamma(1.1, 30) on the noise, and exp(-0.1 /
/// t - 0.1 t) on each narrowness t.
Kernel fitted_kernel(const Eigen::MatrixXd& rows, const Eigen::VectorXd& y, std::vector<Metric> metrics);

/// The lower Cholesky factor of the covariance of noisy values at the rows.
Eigen::MatrixXd cholesky_of(const Kernel& kernel, const Eigen::MatrixXd& rows);

}  // namespace kml::sweep
