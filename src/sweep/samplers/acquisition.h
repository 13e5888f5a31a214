#pragma once

#include <Eigen/Core>

namespace kml::sweep {

/// How useful a trial would be at a point of the unit cube, according to a model of the earlier trials.
class Acquisition {
 public:
  virtual ~Acquisition() = default;

  /// The value for each row of `places`.
  virtual Eigen::VectorXd at(const Eigen::MatrixXd& places) const = 0;
  /// The value at one point. If `slope` is set, it receives the gradient along axes of Metric::distance, and
  /// 0 along all others.
  virtual double at(const Eigen::VectorXd& place, Eigen::VectorXd* slope) const = 0;
};

}  // namespace kml::sweep
