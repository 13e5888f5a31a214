#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kml/tracking/runs/metric_courses.h"
#include "tracking/runs/printed_arguments.h"

namespace kml::tracking {

/// The values on the lines of a log, kept until all lines are known. Of a log with more lines than
/// PrintedArguments::kMostLines, a metric's later values are thinned out if there are too many, and new
/// metrics are left out if there are too many, so that a log of any length fits in memory. The smallest, the
/// greatest and the last value of the other metrics are always kept.
struct MetricCollector::Log {
  explicit Log(std::map<std::string, Json> names) : arguments(std::move(names)) {}

  void read(std::string_view line, Time time);
  void leave_out_arguments();
  /// A value of a metric, with what is needed to find its step: see MetricCollector::finish().
  struct Value;
  std::vector<long long> steps_of(const std::vector<Value>& course) const;
  /// Adds the values that must be kept although they were thinned out. Call this after the last line.
  void restore_extremes();

  struct Value {
    double value = 0;
    Time time = {};
    size_t line = 0;
    size_t index = 0;  ///< the number of the metric's values before it
    /// whether the value is the step of the other values on its line
    bool is_step = false;
    std::optional<long long> epoch = {}, step = {};  ///< the epoch and step on the same line
    long long last_epoch = 0, last_step = 0;  ///< the last epoch and step that the log has contained so far
  };

  /// The later values of a metric in a long log, which are thinned out.
  struct Later {
    size_t begin = 0;   ///< the number of earlier values, which are all kept
    size_t count = 0;   ///< how many later values the log has
    size_t stride = 1;  ///< every stride-th value is kept
    std::optional<Value> smallest = {}, greatest = {}, of_epoch = {}, of_step = {}, last = {};

    void see(const Value& value);
    std::vector<Value> extremes() const;
  };
  void keep(const std::string& name, Value value);

  PrintedArguments arguments;
  std::map<std::string, std::vector<Value>> values;
  std::map<std::string, Later> later;  ///< by the metric's name
  size_t line = 0;
  long long last_epoch = 0, last_step = 0;
  long long epoch_of_step = 0;  ///< the epoch of the last step
  bool restarts = false;        ///< whether steps start again in each epoch
};

}  // namespace kml::tracking
