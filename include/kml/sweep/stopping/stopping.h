#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/sweep/trial/history.h"

namespace kml::sweep {

/// Early stopping: decides which trials continue. These functions depend only on the observations. Lower
/// values are better; a value that is not finite is worse than all others.

/// asha uses two brackets of rungs by default, hyperband as many as there are rungs. median compares a trial
/// with the median of the other trials.
enum class StopRule { none, asha, hyperband, median };
/// The names of these rules, as in a sweep's file and in --early-stopping. Excludes `none`.
std::vector<std::string> stop_rule_names();
/// The rule with that name, or `none`.
StopRule stop_rule_called(std::string_view name);
/// The name of a rule that is not `none`.
std::string_view stop_rule_name(StopRule rule);
/// Whether the rule judges trials only at rungs.
bool has_rungs(StopRule rule);

struct StopOptions {
  StopRule rule = StopRule::none;
  /// the first rung's resource; 0 means about max/16, rounded to at least 1 if max is at least 1
  double min = 0;
  double max = 0;  ///< the resource of a full run
  /// each rung keeps 1/eta of its trials and has eta times the resource of the previous one
  double eta = 4;
  /// each bracket starts one rung later than the previous one (Hyperband, arXiv 1603.06560)
  int brackets = 2;
  /// a running trial is judged by its best value up to the rung, as in W&B, instead of its value at the rung
  bool by_best = false;
  double grace = 0;      ///< median: no trial is stopped at or before this resource
  int least_trials = 5;  ///< median: how many other trials must have reached the resource
  /// the resources of the rungs before `max`, in order; if empty, they follow from min and eta
  std::vector<double> given_rungs = {};
};

/// The resources of the rungs: `given_rungs` or, from `min`, each `eta` times the previous one (rounded, if
/// the first is a whole number), with `max` as the last. Leaves out a rung within a factor of sqrt(eta) of
/// `max`, because it would save little: 64 in 1, 4, 16, 64, 81. Bracket b leaves out the first b rungs, but
/// never the last. Throws usage Error unless 0 <= min <= max, max > 0 and eta > 1.
std::vector<double> rungs(const StopOptions& options, int bracket = 0);

/// The bracket of a trial. A bracket with s rungs before its last one gets a share of trials proportional to
/// eta^s / (s+1), as in Hyperband.
int bracket_of(const StopOptions& options, std::uint64_t trial);

/// The first value of the curve at `resource` or later; empty if the curve ends earlier.
std::optional<double> value_at(const Observation& trial, double resource);

/// The comparison of a running trial with the others.
struct Verdict {
  double resource = 0;  ///< the rung; for the rule median, the resource of the report
  /// the trial's own value at the rung, or its best one up to there with `by_best`; for the rule median, its
  /// best value so far
  double value = 0;
  /// the cut-off: a trial with a worse value is stopped; empty if there are too few other trials
  std::optional<double> cutoff = {};
  std::size_t place = 1,
              of = 1;  ///< the trial's rank among `of` trials that reached `resource`; 1 is the best
  bool stops = false;
};

/// Judges a running trial that has just reported at `resource`. Empty if the trial is not judged at this
/// report.
///
/// asha and hyperband use the stopping variant of arXiv 1810.05934, as in Syne Tune. At each rung of its
/// bracket, a trial continues if it is among the best 1/eta (at least one) of the bracket's trials that
/// reached the rung. While fewer than eta trials have reached it, all with a finite value continue. median
/// stops a trial if its best value so far is worse than the median of the others' best values up to the same
/// resource (Google Vizier, KDD 2017, section 3.2.2, with a true median). `others` may contain the trial
/// itself.
std::optional<Verdict> judge(const StopOptions& options, const Observation& trial, double resource,
                             std::span<const Observation> others);

/// For each trial that has reached the resource up to which it may run (Observation::granted, if less than
/// `max`), how it compares with the trials of its bracket that reached the same rung. A trial is not promoted
/// if its verdict says `stops`.
std::map<std::uint64_t, Verdict> promotion_verdicts(const StopOptions& options,
                                                    std::span<const Observation> trials);

struct Promotion {
  std::uint64_t trial;
  double resource;  ///< the resource of the rung to which the trial is promoted
};

/// The next trial to promote (arXiv 1810.05934, algorithm 2). Searches the brackets in their order, and the
/// rungs of each from the highest one down, for the best trial in a rung's top 1/eta that has not yet been
/// promoted. Promotes only paused trials. If the result is empty, start a new trial instead.
std::optional<Promotion> next_promotion(const StopOptions& options, std::span<const Observation> trials);

}  // namespace kml::sweep
