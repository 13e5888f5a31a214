#pragma once

#include <Eigen/Core>

namespace kml::sweep {

/// How much a trial at a point of the unit cube is worth, according to a model of the earlier trials.
class Acquisition {
 public:
  virtual ~Acquisition() = default;

  /// The value at each row of `places`.
  virtual Eigen::VectorXd at(const Eigen::MatrixXd& places) const = 0;
  /// The value at one point. If `slope` is given, it receives the gradient along the axes of
  /// Metric::distance, and 0 along the others.
  virtual double at(const Eigen::VectorXd& place, Eigen::VectorXd* slope) const = 0;
};

}  // namespace kml::sweep
