#include "kml/sweep/engine/progress.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kml::sweep {

namespace {

constexpr size_t kMostPoints = 50;
constexpr size_t kMostNames = 100;

}  // namespace

void Progress::add(const Objective& objective, const std::string& metric, double step, double value,
                   bool is_of_earlier_step) {
  if (names_.size() < kMostNames) names_.insert(metric);
  if (metric == objective.metric) {
    curve_[step] = value;
    if (!is_of_earlier_step) latest_ = value;
  }
  const auto& kept = objective.additional;
  if (std::find(kept.begin(), kept.end(), metric) == kept.end()) return;
  const auto extreme = objective.extremes.find(metric);
  if (extreme == objective.extremes.end()) {
    if (!is_of_earlier_step) last_[metric] = {step, value};
    return;
  }
  std::pair<double, double>& known = last_.try_emplace(metric, step, value).first->second;
  const bool is_further = extreme->second ? value > known.second : value < known.second;
  if (is_further || !std::isfinite(known.second)) known = {step, value};
}

std::map<std::string, double> Progress::metrics() const {
  std::map<std::string, double> metrics;
  for (const auto& [name, last] : last_)
    if (std::isfinite(last.second)) metrics[name] = last.second;
  return metrics;
}

Diverged Progress::diverged(const Objective& objective) const {
  Diverged diverged;
  for (const auto& [name, last] : last_)
    if (!std::isfinite(last.second)) diverged[name] = last;
  if (!curve_.empty() && !std::isfinite(latest())) diverged[objective.metric] = {last_step(), latest()};
  return diverged;
}

double Progress::value(const Objective& objective) const {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (curve_.empty()) return kNone;
  if (objective.strategy == Objective::Strategy::latest) return latest();
  double best = kNone;
  for (const auto& [step, value] : curve_)
    if (std::isfinite(value) && !(objective.cost(value) >= objective.cost(best))) best = value;
  return best;
}

Curve Progress::curve(const Objective& objective, const std::vector<double>& rungs) const {
  Curve points;
  for (const auto& point : curve_)
    if (std::isfinite(point.second)) points.push_back(point);
  if (points.size() <= kMostPoints) return points;
  std::set<size_t> kept;
  const auto worse = [&](const auto& a, const auto& b) {
    return objective.cost(a.second) < objective.cost(b.second);
  };
  kept.insert(static_cast<size_t>(std::min_element(points.begin(), points.end(), worse) - points.begin()));
  for (const double rung : rungs) {
    const auto passed = std::lower_bound(points.begin(), points.end(), std::pair(rung, -HUGE_VAL));
    if (passed != points.end()) kept.insert(static_cast<size_t>(passed - points.begin()));
  }
  const size_t others = kMostPoints - std::min(kept.size(), kMostPoints - 2);
  for (size_t i = 0; i < others; ++i) kept.insert(i * (points.size() - 1) / (others - 1));
  Curve thinned;
  for (const size_t i : kept) thinned.push_back(points[i]);
  return thinned;
}

}  // namespace kml::sweep
