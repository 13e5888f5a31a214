#pragma once

#include <Eigen/Core>

#include <vector>

#include "sweep/samplers/acquisition.h"

namespace kml::sweep {

/// How the distance between two points is measured along one axis.
enum class Metric {
  distance,  ///< the square of the difference; if a value is NaN, as for `equality`
  equality,  ///< 0 if the values are equal, otherwise 1; NaN (inactive) only equals NaN
};

/// A Matérn kernel with smoothness 5/2 and a scale for each axis, plus noise.
struct Kernel {
  std::vector<Metric> metrics;
  Eigen::VectorXd narrowness;  ///< the inverse squares of the length scales
  double scale = 1;
  double noise = 1e-2;

  /// The covariances between the rows of `a` and the rows of `b`, without noise.
  Eigen::MatrixXd operator()(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) const;
  /// The gradient of the weighted sum of k(row, x) with respect to x; 0 along axes of Metric::equality.
  Eigen::VectorXd slope(const Eigen::MatrixXd& rows, const Eigen::VectorXd& weights,
                        const Eigen::VectorXd& x) const;
};

/// The most likely kernel for `y` (standardized values), with the priors that Optuna documents for its
/// GPSampler: Gamma(2, 1) for the scale, Gamma(1.1, 30) for the noise, and exp(-0.1 / t - 0.1 t) for each
/// narrowness t.
Kernel fitted_kernel(const Eigen::MatrixXd& rows, const Eigen::VectorXd& y, std::vector<Metric> metrics);

/// The lower Cholesky factor of the covariance between noisy values at the rows.
Eigen::MatrixXd cholesky_of(const Kernel& kernel, const Eigen::MatrixXd& rows);

/// The logarithm of the expected improvement (S. Ament et al., arXiv 2310.20708), for values that are
/// minimized. If trials are running, takes the mean over their possible values, by quasi-random samples from
/// their joint distribution.
class Improvement final : public Acquisition {
 public:
  /// `rows` are the tried points, `y` are their values, and `running` are the points of running trials.
  /// `noise_counts` treats the kernel's noise as a possible improvement. It must be set for a finite space,
  /// where no point is tried twice, so that each point has its own noise; otherwise, the search would stay at
  /// the best known point.
  Improvement(Kernel kernel, const Eigen::MatrixXd& rows, const Eigen::VectorXd& y,
              const Eigen::MatrixXd& running, std::uint64_t seed, bool noise_counts);

  Eigen::VectorXd at(const Eigen::MatrixXd& places) const override;
  double at(const Eigen::VectorXd& place, Eigen::VectorXd* slope) const override;

 private:
  /// The standard deviation that is left in a trial's value when `explained` of its variance is explained.
  double deviation(double explained) const;

  Kernel kernel_;
  double noise_;
  Eigen::MatrixXd rows_;     ///< tried and running trials
  Eigen::MatrixXd factor_;   ///< the Cholesky factor of their covariance
  Eigen::MatrixXd weights_;  ///< one column per sample, whose mean at x is k(x, rows) * weights
  Eigen::RowVectorXd best_;  ///< the best value in each sample
};

/// log(phi(z) + z Phi(z)), which is precise even far below 0.
double log_improvement(double z);

}  // namespace kml::sweep
