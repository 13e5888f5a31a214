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

/// The position of a line's values in a training: an epoch, and a step, which may start again in each epoch.
/// A later value has a greater place, or the same place in a later line.
struct LinePlace {
  double epoch = 0, step = 0;
  friend std::partial_ordering operator<=>(const LinePlace&, const LinePlace&) = default;
};

/// Reads the places of a log's lines, beginning with its first line.
class LinePlaces {
 public:
  /// The place of a line with these metrics. Parts that the line does not name are those of the line before;
  /// empty if it names none.
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
