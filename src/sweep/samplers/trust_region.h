#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <vector>

namespace kml::sweep {

/// A box in the unit cube, in which a proposal is searched for.
struct Region {
  Eigen::VectorXd low, high;

  static Region whole(long axes) { return {Eigen::VectorXd::Zero(axes), Eigen::VectorXd::Ones(axes)}; }
  double width(long axis) const { return high[axis] - low[axis]; }
  /// The coordinates of the rows' points for which the box is the unit cube.
  Eigen::MatrixXd scaled(Eigen::MatrixXd rows) const;
  /// The point with these coordinates.
  Eigen::VectorXd place_of(const Eigen::VectorXd& scaled) const;
};

/// The trust region of D. Eriksson et al., "Scalable global optimization via local Bayesian optimization"
/// (TuRBO), arXiv 1910.01739: a box around the best trial. It grows after three improvements in it one after
/// another, and shrinks after as many failures as the space has dimensions, but at least four. An improvement
/// elsewhere moves it there, with its first size. `rows` are the trials' points without NaN, in the order in
/// which they ended; `scores` are their values, lower is better.
Region trust_region(const Eigen::MatrixXd& rows, const std::vector<double>& scores);

/// The trials to fit a process for the region: those in a box twice as wide, at most 120 and at least three
/// times as many as the space has dimensions; in increasing order.
std::vector<long> trials_near(const Region& region, const Eigen::MatrixXd& rows);

}  // namespace kml::sweep
