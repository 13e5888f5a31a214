#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kml/sweep/spec/sweep_spec.h"
#include "kml/sweep/trial/history.h"

namespace kml::sweep {

/// The values that a running trial's job has reported so far. A value replaces an earlier one of the same
/// step, so reading a log again counts no value twice.
class Progress {
 public:
  /// `is_of_earlier_step`: see engine::JobReport.
  void add(const Objective& objective, const std::string& metric, double step, double value,
           bool is_of_earlier_step = false);

  bool has_value() const { return !curve_.empty(); }
  /// The objective's value, chosen by its strategy. NaN if the training diverged.
  double value(const Objective& objective) const;
  double last_step() const { return curve_.empty() ? 0 : curve_.rbegin()->first; }
  /// The value of the greatest step that a line named, or a later one on a line without a step.
  double latest() const { return latest_; }
  /// At most 50 points with finite values, including the first, the last, the best, and those at which the
  /// trial passed a rung.
  Curve curve(const Objective& objective, const std::vector<double>& rungs) const;
  const std::map<double, double>& all() const { return curve_; }
  /// The latest values of the additional metrics, if they are finite.
  std::map<std::string, double> metrics() const;
  /// The latest points that are not finite: those of additional metrics, and that of the objective.
  Diverged diverged(const Objective& objective) const;
  /// Names of all reported metrics, not only the objective.
  const std::set<std::string>& names() const { return names_; }

 private:
  std::map<double, double> curve_;
  double latest_ = 0;
  std::map<std::string, std::pair<double, double>> last_;  ///< of the additional metrics: step and value
  std::set<std::string> names_;
};

}  // namespace kml::sweep
