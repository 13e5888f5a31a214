#include <algorithm>
#include <cmath>
#include <tuple>

#include "kml/core/error.h"
#include "kml/sweep/stopping/stopping.h"

namespace kml::sweep {

namespace {

/// Where no first rung is given: R/52 loses to random search on curves that cross late, R/16 does not.
constexpr double kShortestRun = 1.0 / 16;

}  // namespace

std::vector<double> rungs(const StopOptions& options, int bracket) {
  const auto& [min, max, eta] = std::tie(options.min, options.max, options.eta);
  if (!(max > 0) || !std::isfinite(max) || !(min >= 0) || min > max || !(eta > 1) || !std::isfinite(eta))
    throw usage_error("the rungs of early stopping make no ladder",
                      "it needs 0 <= min <= max, 0 < max and 1 < eta");
  std::vector<double> ladder;
  // Resources are counted, epochs or steps: whole where the first is.
  const double shortest = max < 1 ? max * kShortestRun : std::max(1.0, std::round(max * kShortestRun));
  const double first = min > 0 ? min : shortest;
  for (double rung = first; rung * std::sqrt(eta) <= max * (1 + 1e-12) && rung < max; rung *= eta)
    if (const double place = first == std::floor(first) ? std::round(rung) : rung;
        ladder.empty() || place > ladder.back())
      ladder.push_back(place);
  ladder.erase(ladder.begin(), ladder.begin() + std::min<long>(bracket, static_cast<long>(ladder.size())));
  ladder.push_back(max);
  return ladder;
}

int bracket_of(const StopOptions& options, std::uint64_t trial) {
  const auto last = static_cast<double>(rungs(options).size()) - 1;
  const int brackets = std::clamp(options.brackets, 1, static_cast<int>(last) + 1);
  const auto share = [&](int bracket) {
    const double s = last - bracket;
    return std::pow(options.eta, s) / (s + 1);
  };
  double sum = 0;
  for (int b = 0; b < brackets; ++b) sum += share(b);
  // Multiples of the golden ratio fill the unit interval evenly, and so interleave the brackets.
  double place = std::fmod(static_cast<double>(trial) * 0.6180339887498949, 1.0) * sum;
  for (int b = 0; b < brackets - 1; ++b)
    if ((place -= share(b)) < 0) return b;
  return brackets - 1;
}

std::optional<double> value_at(const Observation& trial, double resource) {
  const auto found = std::lower_bound(trial.curve.begin(), trial.curve.end(), resource * (1 - 1e-12),
                                      [](const auto& entry, double wanted) { return entry.first < wanted; });
  if (found == trial.curve.end()) return std::nullopt;
  return found->second;
}

}  // namespace kml::sweep
