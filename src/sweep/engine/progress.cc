#include "kml/sweep/progress.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kml::sweep {

namespace {

constexpr size_t kMostPoints = 50;
constexpr size_t kMostNames = 100;

}  // namespace

void Progress::add(const Objective& objective, const std::string& metric, double step, double value) {
  if (names_.size() < kMostNames) names_.insert(metric);
  if (metric == objective.metric) curve_[step] = value;
  const auto& kept = objective.additional;
  if (std::find(kept.begin(), kept.end(), metric) != kept.end() && std::isfinite(value))
    metrics_[metric] = value;
}

double Progress::value(const Objective& objective) const {
  const double last = curve_.empty() ? std::numeric_limits<double>::quiet_NaN() : curve_.rbegin()->second;
  if (objective.strategy == Objective::Strategy::latest) return last;
  double best = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [step, value] : curve_)
    if (std::isfinite(value) && !(objective.cost(value) >= objective.cost(best))) best = value;
  return best;
}

std::vector<std::pair<double, double>> Progress::curve() const {
  std::vector<std::pair<double, double>> points;
  for (const auto& point : curve_)
    if (std::isfinite(point.second)) points.push_back(point);
  if (points.size() <= kMostPoints) return points;
  std::vector<std::pair<double, double>> thinned;
  for (size_t i = 0; i < kMostPoints; ++i)
    thinned.push_back(points[i * (points.size() - 1) / (kMostPoints - 1)]);
  return thinned;
}

}  // namespace kml::sweep
