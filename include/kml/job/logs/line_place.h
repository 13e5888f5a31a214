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

/// How far a training had come when it printed a line: an epoch, and a step, which may start again in each
/// epoch. Of two values, the later one has a larger LinePlace, or the same one on a later line.
struct LinePlace {
  double epoch = 0, step = 0;
  friend std::partial_ordering operator<=>(const LinePlace&, const LinePlace&) = default;
};

/// Finds the LinePlace of each line in a log, starting with the first line.
class LinePlaces {
 public:
  /// The LinePlace of a line with these metrics. If the line only names the epoch or only the step, the other
  /// one is taken from the lines before. Empty if it names neither.
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
