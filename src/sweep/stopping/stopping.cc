#include "kml/sweep/stopping/stopping.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "kml/base/error.h"

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

std::string_view stop_rule_name(StopRule rule) {
  for (const auto& [name, known] : kRules)
    if (known == rule) return name;
  return {};
}

bool has_rungs(StopRule rule) {
  return rule == StopRule::asha || rule == StopRule::hyperband;
}

namespace {

/// The first rung as a share of the maximum resource, if none is set. With a share of 1/52, results were
/// worse than those of random search if learning curves cross late; with 1/16, they were not.
constexpr double kShortestRun = 1.0 / 16;

}  // namespace

std::vector<double> rungs(const StopOptions& options, int bracket) {
  const auto& [min, max, eta] = std::tie(options.min, options.max, options.eta);
  if (!(max > 0) || !std::isfinite(max) || !(min >= 0) || min > max || !(eta > 1) || !std::isfinite(eta))
    throw usage_error("invalid rungs for early stopping",
                      "the rungs need 0 <= min <= max, 0 < max and 1 < eta");
  std::vector<double> ladder = options.given_rungs;
  // Resources are numbers of epochs or steps, so if the first rung is a whole number, all rungs are.
  const double shortest = max < 1 ? max * kShortestRun : std::max(1.0, std::round(max * kShortestRun));
  const double first = min > 0 ? min : shortest;
  for (double rung = first;
       options.given_rungs.empty() && rung * std::sqrt(eta) <= max * (1 + 1e-12) && rung < max; rung *= eta)
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
  // Multiples of the golden ratio fill the unit interval evenly, so consecutive trials are in different
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

/// The best value up to a resource; NaN if the trial has no value up to there.
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

/// NaN and infinite values are worse than all others.
bool is_better(double value, double than) {
  return rankable(value) < rankable(than);
}

std::optional<Verdict> compare_with_median(const StopOptions& options, const Observation& trial,
                                           double resource, std::span<const Observation> others) {
  if (resource <= options.grace) return std::nullopt;
  std::vector<double> bests;
  for (const Observation& other : others)
    if (other.trial != trial.trial && value_at(other, resource)) bests.push_back(best_until(other, resource));
  Verdict verdict{.resource = resource, .value = best_until(trial, resource), .of = bests.size() + 1};
  for (const double best : bests) verdict.place += is_better(best, verdict.value);
  if (bests.size() < static_cast<size_t>(std::max(options.least_trials, 1))) return verdict;
  verdict.cutoff = median(std::move(bests));
  verdict.stops = std::isnan(verdict.value) || verdict.value > *verdict.cutoff;
  return verdict;
}

/// The values of the bracket's other trials at this rung, with the best first.
std::vector<double> rivals(const StopOptions& options, const Observation& trial, double rung,
                           std::span<const Observation> others) {
  const int bracket = bracket_of(options, trial.trial);
  std::vector<double> values;
  for (const Observation& other : others)
    if (other.trial != trial.trial && bracket_of(options, other.trial) == bracket)
      if (const auto value = value_at(other, rung)) values.push_back(rankable(*value));
  std::sort(values.begin(), values.end());
  return values;
}

/// The rank that a trial with this value has among the rung's other trials, whose values are sorted.
Verdict placed(double value, double rung, const std::vector<double>& others) {
  Verdict verdict{.resource = rung, .value = value, .of = others.size() + 1};
  const auto first_worse = std::lower_bound(others.begin(), others.end(), rankable(verdict.value));
  verdict.place += static_cast<size_t>(first_worse - others.begin());
  return verdict;
}

/// The value to compare. If the trial has diverged at this rung, this is the value there, whatever its values
/// were before.
double value_to_judge(const StopOptions& options, const Observation& trial, double rung) {
  const double own = value_at(trial, rung).value_or(NAN);
  return options.by_best && std::isfinite(own) ? std::fmin(own, best_until(trial, rung)) : own;
}

std::optional<Verdict> compare_at_rung(const StopOptions& options, const Observation& trial, double resource,
                                       std::span<const Observation> others) {
  const std::vector<double> ladder = rungs(options, bracket_of(options, trial.trial));
  // The highest rung that this report passes, not counting the last rung.
  std::optional<double> rung;
  for (const double one : ladder)
    if (one <= resource * (1 + 1e-12) && one < ladder.back()) rung = one;
  if (!rung) return std::nullopt;
  for (const auto& [at, value] : trial.curve)  // the trial was judged at this rung by an earlier report
    if (at >= *rung * (1 - 1e-12) && at < resource * (1 - 1e-12)) return std::nullopt;
  const std::vector<double> values = rivals(options, trial, *rung, others);
  Verdict verdict = placed(value_to_judge(options, trial, *rung), *rung, values);
  const auto there = static_cast<double>(verdict.of);
  if (there < options.eta) {
    verdict.stops = !std::isfinite(verdict.value);
    return verdict;
  }
  const auto kept = static_cast<size_t>(std::max(1.0, std::floor(there / options.eta)));
  verdict.cutoff = values[kept - 1];
  verdict.stops = verdict.place > kept;
  return verdict;
}

}  // namespace

std::optional<Verdict> judge(const StopOptions& options, const Observation& trial, double resource,
                             std::span<const Observation> others) {
  switch (options.rule) {
    case StopRule::none: return std::nullopt;
    case StopRule::asha:
    case StopRule::hyperband: return compare_at_rung(options, trial, resource, others);
    case StopRule::median: return compare_with_median(options, trial, resource, others);
  }
  return std::nullopt;
}

std::map<std::uint64_t, Verdict> promotion_verdicts(const StopOptions& options,
                                                    std::span<const Observation> trials) {
  const auto rung_of = [&](const Observation& trial) {
    return std::pair(bracket_of(options, trial.trial), trial.granted);
  };
  // The key consists of bracket and rung; the best value is first
  std::map<std::pair<int, double>, std::vector<double>> values;
  std::vector<const Observation*> judged;
  for (const Observation& trial : trials)
    if (trial.granted > 0 && trial.granted < options.max && value_at(trial, trial.granted)) {
      judged.push_back(&trial);
      values.try_emplace(rung_of(trial));
    }
  for (const Observation& trial : trials)
    for (auto& [rung, there] : values)
      if (rung.first == bracket_of(options, trial.trial))
        if (const auto value = value_at(trial, rung.second)) there.push_back(rankable(*value));
  for (auto& [rung, there] : values) std::sort(there.begin(), there.end());
  std::map<std::uint64_t, Verdict> verdicts;
  for (const Observation* trial : judged) {
    const std::vector<double>& there = values.at(rung_of(*trial));
    Verdict verdict = placed(value_at(*trial, trial->granted).value_or(NAN), trial->granted, there);
    verdict.of = there.size();  // includes the trial itself
    const auto kept = static_cast<size_t>(std::floor(static_cast<double>(there.size()) / options.eta));
    if (kept > 0) verdict.cutoff = there[kept - 1];
    verdict.stops = verdict.place > kept || !std::isfinite(verdict.value);
    verdicts.emplace(trial->trial, verdict);
  }
  return verdicts;
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
