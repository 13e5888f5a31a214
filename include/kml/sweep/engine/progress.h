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

/// The values that a running trial's job has reported so far. A new value for a step replaces the earlier
/// one, so reading a log again counts no value twice.
class Progress {
 public:
  /// `is_of_earlier_step`: see engine::JobReport.
  void add(const Objective& objective, const std::string& metric, double step, double value,
           bool is_of_earlier_step = false);

  bool has_value() const { return !curve_.empty(); }
  /// The objective's value according to its strategy (the latest, or the best finite one; NaN if there is
  /// none).
  double value(const Objective& objective) const;
  double last_step() const { return curve_.empty() ? 0 : curve_.rbegin()->first; }
  /// The objective's latest value. Ignores values that arrived after a value with a later step.
  double latest() const { return latest_; }
  /// At most 50 points with finite values or, with many rungs, three more than rungs. Includes the first, the
  /// last, the best, and those at which the trial reached a rung.
  Curve curve(const Objective& objective, const std::vector<double>& rungs) const;
  const std::map<double, double>& all() const { return curve_; }
  /// The values of the additional metrics: the latest ones, or the smallest or largest ones if the sweep asks
  /// for these. Leaves out values that are not finite.
  std::map<std::string, double> metrics() const;
  /// Each metric whose recorded value is not finite, and the point with that value. Includes the objective.
  Diverged diverged(const Objective& objective) const;
  /// The names of the metrics that were reported, not only the objective's; at most 100.
  const std::set<std::string>& names() const { return names_; }

 private:
  std::map<double, double> curve_;
  double latest_ = 0;
  /// the last step and value of each additional metric
  std::map<std::string, std::pair<double, double>> last_;
  std::set<std::string> names_;
};

}  // namespace kml::sweep
