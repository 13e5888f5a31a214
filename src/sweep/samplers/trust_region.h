#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <vector>

namespace kml::sweep {

/// A box in the unit cube in which the search looks for a proposal.
struct Region {
  Eigen::VectorXd low, high;

  static Region whole(long axes) { return {Eigen::VectorXd::Zero(axes), Eigen::VectorXd::Ones(axes)}; }
  double width(long axis) const { return high[axis] - low[axis]; }
  /// The coordinates of the points in `rows`, scaled so that the box becomes the unit cube.
  Eigen::MatrixXd scaled(Eigen::MatrixXd rows) const;
  /// The point in the unit cube with these scaled coordinates.
  Eigen::VectorXd place_of(const Eigen::VectorXd& scaled) const;
};

/// The trust region of D. Eriksson et al., "Scalable global optimization via local Bayesian optimization"
/// (TuRBO), arXiv 1910.01739: a box around the best trial. It grows after three improvements in a row inside
/// it. It shrinks after as many failures in a row as the space has dimensions, but at least four. An
/// improvement elsewhere moves the box there, and resets its size. `rows` are the points of the trials,
/// without NaN, in the order in which the trials ended. `scores` are their values; lower is better.
Region trust_region(const Eigen::MatrixXd& rows, const std::vector<double>& scores);

/// The trials to which the Gaussian process for the region is fitted: those in a box of twice the width, but
/// at least 3 d + 6 in d dimensions, and at most 120. Sorted.
std::vector<long> trials_near(const Region& region, const Eigen::MatrixXd& rows);

}  // namespace kml::sweep
