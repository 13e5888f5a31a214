#include "sweep/samplers/standardize.h"

#include <algorithm>
#include <cmath>

namespace kml::sweep {

namespace {

constexpr double kOrders = 6;  ///< as many orders of magnitude in the better half call for the logarithm
constexpr double kWorst =
    10;  ///< a transformed score's distance from the median, in widths of the better half

/// The best score, the median, the worst.
struct Marks {
  double best, median, worst;
};

Marks marks_of(std::vector<double> scores) {
  std::sort(scores.begin(), scores.end());
  return {scores.front(), scores[(scores.size() - 1) / 2], scores.back()};
}

/// Replaces scores that all have one sign by their logarithms, in the same order, if the better half calls
/// for it.
void use_orders_of_magnitude(std::vector<double>& scores) {
  const Marks marks = marks_of(scores);
  if (marks.best <= 0 && marks.worst >= 0) return;
  if (std::abs(std::log10(std::abs(marks.best)) - std::log10(std::abs(marks.median))) < kOrders) return;
  for (double& score : scores) score = score > 0 ? std::log(score) : -std::log(-score);
}

}  // namespace

Eigen::VectorXd standardized(std::vector<double> scores) {
  use_orders_of_magnitude(scores);
  const Marks marks = marks_of(scores);
  // Halved before they are subtracted: the difference of two finite numbers may not be finite.
  double unit = marks.median / 2 - marks.best / 2;
  if (unit == 0) unit = marks.worst / 2 - marks.best / 2;
  const auto count = static_cast<long>(scores.size());
  Eigen::VectorXd y(count);
  constexpr double kMost = 1e300;
  for (long i = 0; i < count; ++i)
    y[i] = std::min((scores[static_cast<size_t>(i)] / 2 - marks.median / 2) / unit, kMost);
  const long better = (count + 1) / 2;  // at least as many scores are not above the median
  double squares = 0;
  for (const double score : y)
    if (score <= 0) squares += score * score;
  const double width = std::sqrt(squares / static_cast<double>(better));
  for (double& score : y)
    if (score > 0 && width > 0) score = width * std::min(std::log1p(score / width), kWorst);
  y.array() -= y.mean();
  return y / std::sqrt(y.squaredNorm() / static_cast<double>(count));
}

}  // namespace kml::sweep
