#include "sweep/samplers/trust_region.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace kml::sweep {

namespace {

/// Half of the box's width: the first value, the largest, and the value below which the search starts over.
constexpr double kFirst = 0.2, kMost = 0.5, kLeast = 1e-6;
constexpr int kImprovements = 3;
constexpr long kLeastFailures = 4;
constexpr double kEdge = 1 + 1e-7;  ///< a little more than 1, to include points on the edge of the box

}  // namespace

Eigen::MatrixXd Region::scaled(Eigen::MatrixXd rows) const {
  for (long axis = 0; axis < rows.cols(); ++axis)
    rows.col(axis) = (rows.col(axis).array() - low[axis]) / width(axis);
  return rows;
}

Eigen::VectorXd Region::place_of(const Eigen::VectorXd& scaled) const {
  return (low + (high - low).cwiseProduct(scaled)).cwiseMin(high);
}

Region trust_region(const Eigen::MatrixXd& rows, const std::vector<double>& scores) {
  const long failures = std::max(kLeastFailures, rows.cols());
  double half = kFirst;
  long best = 0, won = 0, lost = 0;
  for (long i = 1; i < rows.rows(); ++i) {
    const bool is_better = scores[static_cast<size_t>(i)] < scores[static_cast<size_t>(best)];
    const bool is_inside = (rows.row(i) - rows.row(best)).cwiseAbs().maxCoeff() <= half * kEdge;
    if (is_better) best = i;
    if (is_inside) {
      won = is_better ? won + 1 : 0;
      lost = is_better ? 0 : lost + 1;
      if (won == kImprovements) half = std::min(2 * half, kMost), won = 0;
      if (lost == failures) half /= 2, lost = 0;
    }
    if (half < kLeast || (is_better && !is_inside)) half = kFirst, won = lost = 0;
  }
  const Eigen::VectorXd centre = rows.row(best);
  return {(centre.array() - half).max(0), (centre.array() + half).min(1)};
}

std::vector<long> trials_near(const Region& region, const Eigen::MatrixXd& rows) {
  constexpr size_t kMost = 120;
  const size_t least = 3 * static_cast<size_t>(rows.cols()) + 6;
  const Eigen::ArrayXXd from_middle = 2 * region.scaled(rows).array() - 1;  // within 1: inside
  std::vector<std::pair<double, long>> by_distance;
  for (long i = 0; i < rows.rows(); ++i) by_distance.emplace_back(from_middle.row(i).abs().maxCoeff(), i);
  std::sort(by_distance.begin(), by_distance.end());
  std::vector<long> near;
  for (const auto& [distance, trial] : by_distance)
    if (near.size() < kMost && (distance <= 2 || near.size() < least)) near.push_back(trial);
  std::sort(near.begin(), near.end());
  return near;
}

}  // namespace kml::sweep
