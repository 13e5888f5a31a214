#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"
#include "kml/sweep/engine/sweep_state.h"
#include "kml/sweep/stopping/stopping.h"

namespace kml::ui {

/// What early stopping has decided about the trials of a sweep, and why, according to the journal.
class StoppingReport {
 public:
  /// Keeps a reference to `state`.
  explicit StoppingReport(const sweep::SweepState& state);

  bool is_empty() const { return options_.rule == sweep::StopRule::none; }
  /// Why the trial was stopped, such as "stopped at epoch 4: 0.91, cut-off 0.62 (place 7 of 8 in bracket 0)",
  /// or why it was not stopped. Empty if the sweep has no early stopping.
  std::string why(const sweep::Trial& trial) const;
  /// {decision, bracket, resource, value, cutoff, place, of, why}, without what is unknown; null if the sweep
  /// has no early stopping.
  Json to_json(const sweep::Trial& trial) const;
  /// A line for each bracket: "bracket 0: 27 trials; epoch 1: 20 reached, 12 stopped; epoch 4: 8 reached".
  /// Empty if there are no rungs.
  std::vector<std::string> bracket_lines() const;
  /// {rule, resource, brackets: [{bracket, trials, rungs: [{resource, reached, stopped, paused}]}]}, without
  /// brackets if there are no rungs; null if the sweep has no early stopping.
  Json to_json() const;

 private:
  enum class Decision { stopped, paused, continued, not_judged };
  struct Rung {
    double resource = 0;
    std::size_t reached = 0, stopped = 0, paused = 0;
  };
  struct Bracket {
    std::size_t trials = 0;
    std::vector<Rung> rungs;
  };

  const sweep::record::Judged* judgement(const sweep::Trial& trial) const;
  std::string why_at_rungs(const sweep::Trial& trial) const;
  std::string why_by_median(const sweep::Trial& trial) const;
  Decision decision(const sweep::Trial& trial) const;
  static std::string_view word_of(Decision decision);
  std::string at(double resource) const;
  std::map<int, Bracket> brackets() const;

  const sweep::SweepState& state_;
  sweep::StopOptions options_;
  /// if trials are promoted: the decision about each trial
  std::map<std::uint64_t, sweep::record::Judged> promotions_;
};

}  // namespace kml::ui
