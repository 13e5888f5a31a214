#pragma once

#include <Eigen/Core>

#include "sweep/samplers/gaussian_process.h"

namespace kml::sweep {

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
