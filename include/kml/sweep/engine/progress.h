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

/// What the job of a running trial has reported so far. A value that comes twice, as when the log is read
/// again, counts once: it replaces that of the same step.
class Progress {
 public:
  void add(const Objective& objective, const std::string& metric, double step, double value);

  bool has_value() const { return !curve_.empty(); }
  /// The objective's value by its strategy: NaN if the training diverged.
  double value(const Objective& objective) const;
  double last_step() const { return curve_.empty() ? 0 : curve_.rbegin()->first; }
  /// The value that was reported last, whatever its step: counters may restart.
  double latest() const { return latest_; }
  /// At most 50 points, the first, the last and the best among them, and those at which rungs are passed;
  /// finite values alone.
  Curve curve(const Objective& objective, const std::vector<double>& rungs) const;
  const std::map<double, double>& all() const { return curve_; }
  const std::map<std::string, double>& metrics() const { return metrics_; }
  /// Names of what it reported, objective or not.
  const std::set<std::string>& names() const { return names_; }

 private:
  std::map<double, double> curve_;
  double latest_ = 0;
  std::map<std::string, double> metrics_;
  std::set<std::string> names_;
};

}  // namespace kml::sweep
