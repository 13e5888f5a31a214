#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kml/sweep/spec/sweep_spec.h"
#include "kml/sweep/trial.h"

namespace kml::sweep {

/// The values that a running trial's job has reported so far. A value replaces an earlier one of the same
/// step, so reading a log again counts nothing twice.
class Progress {
 public:
  void add(const Objective& objective, const std::string& metric, double step, double value);

  bool has_value() const { return !curve_.empty(); }
  /// The objective's value, chosen by its strategy. NaN if the training diverged.
  double value(const Objective& objective) const;
  double last_step() const { return curve_.empty() ? 0 : curve_.rbegin()->first; }
  /// The last reported value, whatever its step, because counters may restart.
  double latest() const { return latest_; }
  /// At most 50 points with finite values, including the first, the last, the best, and those at which the
  /// trial passed a rung.
  Curve curve(const Objective& objective, const std::vector<double>& rungs) const;
  const std::map<double, double>& all() const { return curve_; }
  const std::map<std::string, double>& metrics() const { return metrics_; }
  /// Whether the last value of an additional metric is not finite.
  bool has_diverged(const std::string& metric) const { return diverged_.contains(metric); }
  /// Names of all reported metrics, not only the objective.
  const std::set<std::string>& names() const { return names_; }

 private:
  std::map<double, double> curve_;
  double latest_ = 0;
  std::map<std::string, double> metrics_;
  std::set<std::string> names_, diverged_;
};

}  // namespace kml::sweep
