#pragma once

#include <Eigen/Core>

#include <vector>

namespace kml::sweep {

/// What tells how far apart two points are along one axis.
enum class Metric {
  distance,  ///< the square of the difference
  equality,  ///< 0 if they are equal, else 1; a NaN (inactive) equals only another
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

/// The logarithm of the expected improvement (S. Ament et al., arXiv 2310.20708), for values to be minimised.
/// With trials running, it is the expectation over what they may turn out to give, by quasi-random samples of
/// their joint distribution.
class Improvement {
 public:
  /// Rows are places of what was tried, `y` its values; `running` are places of what runs. `noise_counts`:
  /// what the kernel takes for noise is worth something. So it is where no place is tried twice, as each has
  /// its own; elsewhere it would keep the search at the best place known.
  Improvement(Kernel kernel, const Eigen::MatrixXd& rows, const Eigen::VectorXd& y,
              const Eigen::MatrixXd& running, std::uint64_t seed, bool noise_counts);

  /// At each row of `places`.
  Eigen::VectorXd at(const Eigen::MatrixXd& places) const;
  /// At one place; with its slope, where `slope` is given, along the axes of Metric::distance (0 along
  /// others).
  double at(const Eigen::VectorXd& place, Eigen::VectorXd* slope) const;

 private:
  /// Of what a trial gives where so much of the variance is known.
  double deviation(double explained) const;

  Kernel kernel_;
  double noise_;
  Eigen::MatrixXd rows_;     ///< tried and running
  Eigen::MatrixXd factor_;   ///< of their covariance
  Eigen::MatrixXd weights_;  ///< one column a sample: its mean at x is k(x, rows) * weights
  Eigen::RowVectorXd best_;  ///< a sample's
};

/// log(phi(z) + z Phi(z)), exact also far below 0.
double log_improvement(double z);

}  // namespace kml::sweep
