#include "sweep/samplers/ranking.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

namespace kml::sweep {

namespace {

using Key =
    /// for each trial: the distance from the end, the value there, and the trial's index in the list
    std::tuple<double, double, size_t>;

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kAtTheRung = -kNever;
constexpr double kAtTheEnd = -std::numeric_limits<double>::max();

std::optional<double> finite_at(const Observation& trial, double resource) {
  for (const auto& [at, value] : trial.curve)
    if (at >= resource * (1 - 1e-12)) return std::isfinite(value) ? std::optional(value) : std::nullopt;
  return std::nullopt;
}

double common_rung(std::span<const Observation* const> trials, std::span<const double> rungs,
                   size_t dimensions) {
  for (size_t k = rungs.size(); k-- > 0;) {
    size_t reached = 0;
    for (const Observation* trial : trials) reached += finite_at(*trial, rungs[k]).has_value();
    if (reached > dimensions) return rungs[k];
  }
  return kNever;
}

Key key_of(const Observation& trial, double rung, size_t place) {
  if (trial.state == TrialState::diverged || trial.state == TrialState::failed)
    return {kNever, kNever, place};
  if (const auto value = finite_at(trial, rung)) return {kAtTheRung, *value, place};
  if (trial.state == TrialState::complete && trial.objective && std::isfinite(*trial.objective))
    return {kAtTheEnd, *trial.objective, place};
  if (trial.curve.empty() || !std::isfinite(trial.curve.back().second)) return {kNever, kNever, place};
  return {-trial.curve.back().first, trial.curve.back().second, place};
}

/// A trial that has reached the resource at which trials are compared, with its value there.
struct Finisher {
  const Observation* trial;
  double value;
};

/// By how much the finishers' values changed after that resource, as the median; 0 if none has a value there.
double gain_from(double resource, std::span<const Finisher> finishers) {
  std::vector<double> gains;
  for (const Finisher& finisher : finishers)
    if (const auto before = finite_at(*finisher.trial, resource)) gains.push_back(finisher.value - *before);
  if (gains.empty()) return 0;
  const auto middle = gains.begin() + static_cast<long>(gains.size() / 2);
  std::nth_element(gains.begin(), middle, gains.end());
  return *middle;
}

}  // namespace

std::vector<const Observation*> best_of(std::span<const Observation* const> trials, size_t best,
                                        std::span<const double> rungs, size_t dimensions) {
  const double rung = rungs.empty() ? kNever : common_rung(trials, rungs, dimensions);
  std::vector<Key> keys;
  keys.reserve(trials.size());
  for (size_t i = 0; i < trials.size(); ++i) keys.push_back(key_of(*trials[i], rung, i));
  best = std::min(best, keys.size());
  std::partial_sort(keys.begin(), keys.begin() + static_cast<long>(best), keys.end());
  std::vector<const Observation*> found;
  for (size_t i = 0; i < best; ++i) found.push_back(trials[std::get<2>(keys[i])]);
  return found;
}

std::vector<double> scores_of(std::span<const Observation* const> trials, std::span<const double> rungs,
                              size_t dimensions) {
  const double rung = rungs.empty() ? kNever : common_rung(trials, rungs, dimensions);
  std::vector<Finisher> finishers;
  for (size_t i = 0; i < trials.size(); ++i)
    if (const auto [far, value, place] = key_of(*trials[i], rung, i);
        far <= kAtTheEnd && !trials[i]->curve.empty())
      finishers.push_back({trials[i], value});
  std::map<double, double> gains;
  std::vector<double> scores;
  double worst = -kNever;
  for (size_t i = 0; i < trials.size(); ++i) {
    auto [far, score, place] = key_of(*trials[i], rung, i);
    if (far > kAtTheEnd && std::isfinite(score)) {
      const auto [gain, is_new] = gains.try_emplace(-far);
      if (is_new) gain->second = gain_from(-far, finishers);
      score += gain->second;
    }
    scores.push_back(score);
    if (std::isfinite(score)) worst = std::max(worst, score);
  }
  if (!std::isfinite(worst)) return {};
  for (double& score : scores)
    if (!std::isfinite(score)) score = worst;
  return scores;
}

}  // namespace kml::sweep
