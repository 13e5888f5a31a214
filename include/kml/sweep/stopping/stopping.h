#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/sweep/trial.h"

namespace kml::sweep {

/// Which trials are worth going on with. Pure functions of what is known; lower values are better, and what
/// is not a finite number is worse than all others.

/// Ladders of rungs: two of them (asha), or as many as there are rungs (hyperband); or the others' median.
enum class StopRule { none, asha, hyperband, median };
/// As files and --early-stopping call them, without `none`.
std::vector<std::string> stop_rule_names();
/// `none` where no rule is called so.
StopRule stop_rule_called(std::string_view name);
/// Whether it judges trials at rungs, and nowhere else.
bool has_rungs(StopRule rule);

struct StopOptions {
  StopRule rule = StopRule::none;
  double min = 0;        ///< the first rung's resource; 0: about max/16, a whole number unless max is below 1
  double max = 0;        ///< the resource of a full run
  double eta = 4;        ///< each rung keeps one of so many, and is so many times as long as the last
  int brackets = 2;      ///< ladders that start one rung later each (Hyperband, arXiv 1603.06560)
  double grace = 0;      ///< median: nothing is stopped at or before this resource
  int least_trials = 5;  ///< median: so many others must have got as far
};

/// Rungs from `min` on, each `eta` times the last, and `max` as the last: 1, 4, 16, 64, 81 would hold a step
/// too small to be worth a rung, so one that is nearer to `max` than sqrt(eta) is left out. `bracket` b
/// leaves out the first b rungs; the last is always there. Throws usage Error unless 0 <= min <= max, max > 0
/// and eta > 1.
std::vector<double> rungs(const StopOptions& options, int bracket = 0);

/// The bracket of a trial. A bracket with s rungs before its last gets trials in the proportion in which
/// Hyperband starts them, eta^s / (s+1).
int bracket_of(const StopOptions& options, std::uint64_t trial);

/// The first value of the curve at `resource` or later; empty if it does not reach so far.
std::optional<double> value_at(const Observation& trial, double resource);

/// Whether a running trial is to be stopped now, having just reported at `resource`.
///
/// asha and hyperband: the stopping variant of arXiv 1810.05934, as in Syne Tune: on a rung of its bracket, a
/// trial goes on where it is among the best 1/eta of those of its bracket that got there, at least one; with
/// fewer than eta there, all go on. median: it is stopped where its best value so far is worse than the
/// median of the others' best values up to the same resource (Google Vizier, KDD 2017, section 3.2.2, with a
/// true median). `others` may hold the trial itself.
bool is_to_stop(const StopOptions& options, const Observation& trial, double resource,
                std::span<const Observation> others);

struct Promotion {
  std::uint64_t trial;
  double resource;  ///< of the next rung, up to which it is granted
};

/// The next trial to go on (arXiv 1810.05934, algorithm 2): from the highest rung down, the best of the top
/// 1/eta of those that reached the rung and were not granted more. Only paused trials are promoted. Empty:
/// start a new trial.
std::optional<Promotion> next_promotion(const StopOptions& options, std::span<const Observation> trials);

}  // namespace kml::sweep
