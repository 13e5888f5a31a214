#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kml/job/logs/metric_line.h"

namespace kml::job {

/// Where the values of a line belong in a training: to an epoch, and to a step, which may begin again in each
/// epoch. A later value is one of a greater place, or of the same place in a later line.
struct LinePlace {
  double epoch = 0, step = 0;
  friend std::partial_ordering operator<=>(const LinePlace&, const LinePlace&) = default;
};

/// Reads the places of a log's lines, beginning with its first line.
class LinePlaces {
 public:
  /// The place of a line with these metrics. What the line does not name of it is that of the line before;
  /// empty if it names nothing.
  std::optional<LinePlace> of(const std::vector<std::pair<std::string, double>>& metrics) {
    const auto find = [&](bool is_epoch) {
      return std::find_if(metrics.begin(), metrics.end(), [&](const auto& metric) {
        return counts_steps(metric.first) && (metric.first == "epoch") == is_epoch &&
               std::isfinite(metric.second);
      });
    };
    const auto epoch = find(true), step = find(false);
    if (epoch != metrics.end()) last_.epoch = epoch->second;
    if (step != metrics.end()) last_.step = step->second;
    return epoch == metrics.end() && step == metrics.end() ? std::nullopt : std::optional(last_);
  }

 private:
  LinePlace last_;
};

}  // namespace kml::job
