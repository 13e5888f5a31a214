#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kml/job/logs/metric_line.h"

namespace kml::live {

/// The metrics in a log line that belong in curves: all finite values that do not count steps.
inline std::vector<std::pair<std::string, double>> shown_metrics(std::string_view line) {
  std::vector<std::pair<std::string, double>> metrics = job::metrics_in(line);
  std::erase_if(metrics, [](const auto& metric) {
    return job::counts_steps(metric.first) || !std::isfinite(metric.second);
  });
  return metrics;
}

}  // namespace kml::live
