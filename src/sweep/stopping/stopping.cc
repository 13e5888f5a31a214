#include "kml/sweep/stopping/stopping.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "kml/core/error.h"

namespace kml::sweep {

namespace {

constexpr std::pair<std::string_view, StopRule> kRules[] = {
    {"asha", StopRule::asha}, {"hyperband", StopRule::hyperband}, {"median", StopRule::median}};

}  // namespace

std::vector<std::string> stop_rule_names() {
  std::vector<std::string> names;
  for (const auto& [name, rule] : kRules) names.emplace_back(name);
  return names;
}

StopRule stop_rule_called(std::string_view name) {
  for (const auto& [known, rule] : kRules)
    if (known == name) return rule;
  return StopRule::none;
}

bool has_rungs(StopRule rule) {
  return rule == StopRule::asha || rule == StopRule::hyperband;
}

namespace {

/// The first rung if none is set. R/52 was worse than random search on curves that cross late; R/16 was not.
constexpr double kShortestRun = 1.0 / 16;

}  // namespace

std::vector<double> rungs(const StopOptions& options, int bracket) {
  const auto& [min, max, eta] = std::tie(options.min, options.max, options.eta);
  if (!(max > 0) || !std::isfinite(max) || !(min >= 0) || min > max || !(eta > 1) || !std::isfinite(eta))
    throw usage_error("invalid rungs for early stopping", "it needs 0 <= min <= max, 0 < max and 1 < eta");
  std::vector<double> ladder;
  // Resources are counts of epochs or steps, so rungs are whole numbers if the first one is.
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
  // Multiples of the golden ratio fill the unit interval evenly, so consecutive trials get different
  // brackets.
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

namespace {

double rankable(double value) {
  return std::isfinite(value) ? value : std::numeric_limits<double>::infinity();
}

/// The best value up to a resource; NaN if the trial has no value until then.
double best_until(const Observation& trial, double resource) {
  double best = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [at, value] : trial.curve)
    if (at <= resource * (1 + 1e-12))
      best = std::isnan(best) ? rankable(value) : std::min(best, rankable(value));
  return best;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  const double below = *std::max_element(values.begin(), middle);
  return below == *middle ? below : (below + *middle) / 2;
}

bool is_below_median(const StopOptions& options, const Observation& trial, double resource,
                     std::span<const Observation> others) {
  if (resource <= options.grace) return false;
  std::vector<double> bests;
  for (const Observation& other : others)
    if (other.trial != trial.trial && value_at(other, resource)) bests.push_back(best_until(other, resource));
  if (bests.empty() || bests.size() < static_cast<size_t>(std::max(options.least_trials, 1))) return false;
  const double own = best_until(trial, resource);
  return std::isnan(own) || own > median(std::move(bests));
}

bool is_cut_at_rung(const StopOptions& options, const Observation& trial, double resource,
                    std::span<const Observation> others) {
  const int bracket = bracket_of(options, trial.trial);
  const std::vector<double> ladder = rungs(options, bracket);
  // The highest rung that this report passes, except the last one.
  std::optional<double> rung;
  for (const double one : ladder)
    if (one <= resource * (1 + 1e-12) && one < ladder.back()) rung = one;
  if (!rung) return false;
  for (const auto& [at, value] : trial.curve)  // an earlier report was already judged at this rung
    if (at >= *rung * (1 - 1e-12) && at < resource * (1 - 1e-12)) return false;
  const double own = rankable(value_at(trial, *rung).value_or(NAN));
  size_t there = 1, better = 0;
  for (const Observation& other : others) {
    if (other.trial == trial.trial || bracket_of(options, other.trial) != bracket) continue;
    const auto value = value_at(other, *rung);
    if (!value) continue;
    ++there;
    better += rankable(*value) < own;
  }
  if (static_cast<double>(there) < options.eta) return !std::isfinite(own);
  return static_cast<double>(better) >= std::max(1.0, std::floor(static_cast<double>(there) / options.eta));
}

}  // namespace

bool is_to_stop(const StopOptions& options, const Observation& trial, double resource,
                std::span<const Observation> others) {
  switch (options.rule) {
    case StopRule::none: return false;
    case StopRule::asha:
    case StopRule::hyperband: return is_cut_at_rung(options, trial, resource, others);
    case StopRule::median: return is_below_median(options, trial, resource, others);
  }
  return false;
}

std::optional<Promotion> next_promotion(const StopOptions& options, std::span<const Observation> trials) {
  struct Entry {
    double value;
    const Observation* trial;
  };
  std::vector<std::vector<const Observation*>> members;
  for (const Observation& trial : trials) {
    const auto bracket = static_cast<size_t>(bracket_of(options, trial.trial));
    if (members.size() <= bracket) members.resize(bracket + 1);
    members[bracket].push_back(&trial);
  }
  for (size_t bracket = 0; bracket < members.size(); ++bracket) {
    const std::vector<double> ladder = rungs(options, static_cast<int>(bracket));
    for (size_t k = ladder.size() - 1; k-- > 0;) {
      std::vector<Entry> entries;
      for (const Observation* trial : members[bracket])
        if (const auto value = value_at(*trial, ladder[k])) entries.push_back({rankable(*value), trial});
      std::stable_sort(entries.begin(), entries.end(),
                       [](const Entry& a, const Entry& b) { return a.value < b.value; });
      entries.resize(static_cast<size_t>(std::floor(static_cast<double>(entries.size()) / options.eta)));
      for (const Entry& entry : entries)
        if (entry.trial->state == TrialState::paused && std::isfinite(entry.value) &&
            entry.trial->granted < ladder[k + 1] * (1 - 1e-12))
          return Promotion{entry.trial->trial, ladder[k + 1]};
    }
  }
  return std::nullopt;
}

}  // namespace kml::sweep
