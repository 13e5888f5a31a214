#include "sweep/samplers/standardize.h"

#include <algorithm>
#include <cmath>

namespace kml::sweep {

namespace {

/// if the better half spans this many orders of magnitude, the logarithm is used
constexpr double kOrders = 6;
/// How far a transformed score may be from the median, as a multiple of the width of the better half.
constexpr double kWorst = 10;

/// The best score, the median, and the worst score.
struct Marks {
  double best, median, worst;
};

Marks marks_of(std::vector<double> scores) {
  std::sort(scores.begin(), scores.end());
  return {scores.front(), scores[(scores.size() - 1) / 2], scores.back()};
}

/// If the better half spans orders of magnitude and all scores have the same sign, replaces them by their
/// logarithms, in the same order.
void use_orders_of_magnitude(std::vector<double>& scores) {
  const Marks marks = marks_of(scores);
  if (marks.best <= 0 && marks.worst >= 0) return;
  if (std::abs(std::log10(std::abs(marks.best)) - std::log10(std::abs(marks.median))) < kOrders) return;
  for (double& score : scores) score = score > 0 ? std::log(score) : -std::log(-score);
}

/// Scales the better half so that its largest number is about 1. Then no square overflows or vanishes. The
/// factor is a power of two, so the result is exact.
void scale(std::vector<double>& scores) {
  const Marks marks = marks_of(scores);
  const bool differs = marks.best != marks.median;
  const double greatest = std::max(std::abs(marks.best), std::abs(differs ? marks.median : marks.worst));
  if (greatest == 0) return;
  constexpr double kMost = 1e300;
  for (double& score : scores) score = std::min(std::ldexp(score, -std::ilogb(greatest)), kMost);
}

}  // namespace

Eigen::VectorXd standardized(std::vector<double> scores) {
  use_orders_of_magnitude(scores);
  scale(scores);
  std::vector<double> sorted = scores;
  std::sort(sorted.begin(), sorted.end());
  const size_t half = (sorted.size() - 1) / 2;
  const double median = sorted[half];
  double width = 0;
  for (size_t i = 0; i <= half; ++i) width += std::pow(sorted[i] - median, 2);
  width = std::sqrt(width / static_cast<double>(half + 1));
  Eigen::VectorXd y = Eigen::Map<const Eigen::VectorXd>(scores.data(), static_cast<long>(scores.size()));
  for (double& score : y)
    if (score > median && width > 0)
      score = median + width * std::min(std::log1p((score - median) / width), kWorst);
  y.array() -= y.mean();
  return y / std::sqrt(y.squaredNorm() / static_cast<double>(y.size()));
}

}  // namespace kml::sweep
