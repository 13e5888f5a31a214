#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "kml/base/clock.h"
#include "kml/engine/loop/decisions.h"
#include "kml/engine/loop/loop.h"
#include "kml/sweep/engine/progress.h"
#include "kml/sweep/engine/sweep_state.h"
#include "kml/sweep/journal/journal.h"
#include "kml/sweep/trial/runner.h"

namespace kml::sweep {

/// Runs a sweep to its end. Writes every decision to the journal before carrying it out, so that the next
/// engine continues where this one stopped.
class Engine : private engine::Planner {
 public:
  struct Hooks {
    /// Called after each step.
    std::function<void(const Engine&)> on_step = [](const Engine&) {};
    /// Returns whether, and how, the sweep should be stopped.
    std::function<StopWish()> stop_wish = [] { return StopWish::none; };
    /// Whether a trial that starts again after a preemption, or after the loss of its job or log, uses up a
    /// retry. If so, the sweep cannot use more GPU hours than its plan says.
    bool counts_restarts = false;
  };

  /// The journal must already have the record about the sweep. All arguments must outlive the engine.
  Engine(Journal& journal, Runner& runner, const Clock& clock, Hooks hooks);
  ~Engine() override;

  /// Returns when the sweep has ended; state().end().reason says why. Throws if the engine stops before that:
  /// Error (interrupted) from the runner, or an error such as a full disk. The jobs then keep running.
  void run(const std::string& owner);

  const SweepState& state() const { return state_; }
  /// The values that a running trial has reported; null if it has reported none.
  const Progress* progress(std::uint64_t trial) const;
  /// Why trials wait, by trial. Leaves out trials for which the reason is unknown.
  const std::map<std::uint64_t, std::string>& waits() const { return waits_; }

 private:
  struct Parts;

  void reattach() override;
  void plan() override;
  void tell() override;
  std::optional<std::chrono::milliseconds> longest_wait() const override;
  void take(const TrialReport& report) override;
  void end() override;
  void consider_end();
  void begin_trials();
  void end_all(record::End end);

  Journal& journal_;
  Runner& runner_;
  const Hooks hooks_;
  SweepState state_;
  engine::Decisions<Record, TrialJob> decisions_;
  std::unique_ptr<Parts> parts_;
  std::map<std::uint64_t, std::string> waits_;
  std::optional<record::End> ending_;  ///< if set, no more trials are started
  bool is_cancelled_ = false;          ///< if true, running trials are being stopped
};

}  // namespace kml::sweep
