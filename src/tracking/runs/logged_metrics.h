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

/// The values on the lines of a log, kept until all lines are known.
struct MetricCollector::Log {
  explicit Log(std::map<std::string, Json> names) : arguments(std::move(names)) {}

  void read(std::string_view line, Time time);
  void leave_out_arguments();
  /// A value of a metric, with what is needed to find its step: see MetricCollector::finish().
  struct Value;
  std::vector<long long> steps_of(const std::vector<Value>& course) const;

  struct Value {
    double value = 0;
    Time time = {};
    size_t line = 0;
    /// whether the value is the step of the other values on its line
    bool is_step = false;
    std::optional<long long> epoch = {}, step = {};  ///< the epoch and step on the same line
    long long last_epoch = 0, last_step = 0;  ///< the last epoch and step that the log has contained so far
  };

  PrintedArguments arguments;
  std::map<std::string, std::vector<Value>> values;
  size_t line = 0;
  long long last_epoch = 0, last_step = 0;
  long long epoch_of_step = 0;  ///< the epoch of the last step
  bool restarts = false;        ///< whether steps start again in each epoch
};

}  // namespace kml::tracking
