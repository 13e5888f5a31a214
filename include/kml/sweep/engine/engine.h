#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/sweep/engine/progress.h"
#include "kml/sweep/engine/sweep_state.h"
#include "kml/sweep/journal/journal.h"
#include "kml/sweep/stopping/stopping.h"
#include "kml/sweep/trial/runner.h"

namespace kml::sweep {

class Proposals;

/// Runs a sweep to its end. Writes every decision to the journal before carrying it out, so that the next
/// engine continues where this one stopped.
class Engine {
 public:
  struct Hooks {
    /// Called after each step.
    std::function<void(const Engine&)> on_step = [](const Engine&) {};
    /// Whether to stop the sweep.
    std::function<StopWish()> stop_wish = [] { return StopWish::none; };
  };

  /// The journal must already have the sweep's record. All arguments must outlive the engine.
  Engine(Journal& journal, Runner& runner, const Clock& clock, Hooks hooks);
  ~Engine();

  /// Returns when the sweep has ended; state().end() says why. Throws if the engine stops earlier: Error
  /// (interrupted) from the runner, or an error such as a full disk. The jobs then keep running.
  void run(const std::string& owner);

  const SweepState& state() const { return state_; }
  const Progress* progress(std::uint64_t trial) const;
  /// Why trials wait, by trial, if known.
  const std::map<std::uint64_t, std::string>& waits() const { return waits_; }

 private:
  /// The outcome of a trial that is being stopped. Empty if it is withdrawn with the sweep.
  using WantedEnd = std::optional<Outcome>;

  void decide(decltype(Record::what) what);
  void decide(const Record& record);
  void decide(decltype(Record::what) what, const TrialReport& report);
  void reattach();
  void plan();
  bool take_turn();
  bool has_reached_goal() const;
  std::string too_many_failures() const;
  std::string reason_to_hold() const;
  void ask();
  std::string used_up() const;
  double gpu_seconds_with_another() const;
  bool begin_again();
  bool promote();
  bool promote_leader();
  double first_grant(const Trial& trial) const;
  void begin(const Trial& trial, int rung, int attempt, double until);
  TrialJob job_of(const Trial& trial) const;
  void begin_wave();
  std::vector<TrialJob> jobs_of(const Wave& wave) const;
  void take(const TrialReport& report);
  void take_metric(const Trial& trial, const TrialReport& report);
  void consider_stop(const Trial& trial, double before, double resource);
  void note_verdict(const Trial& trial, const Verdict& verdict);
  Observation observation(const Trial& trial) const;
  const std::vector<Observation>& all_observations();
  void take_end(const Trial& trial, const TrialReport& report);
  void pause(const Trial& trial, double value, const TrialReport& report);
  void take_wanted_end(const Trial& trial, WantedEnd end, const TrialReport& report);
  void take_retry(const Trial& trial, const TrialReport& report);
  void take_loss(const Trial& trial, const std::string& cause, const TrialReport& report);
  void end_trial(const Trial& trial, Outcome outcome, std::string cause, const TrialReport& report);
  record::Ended ended(const Trial& trial, Outcome outcome) const;
  void decide_failure(const Trial& trial, const std::string& cause, record::Failed::Fault fault,
                      const TrialReport& report);
  Trial so_far(const Trial& trial) const;
  void take_progress(Trial& trial, const Progress& progress) const;
  std::optional<double> value_of(const Trial& trial) const;
  void end_all(const std::string& reason);
  void end_early(const Trial& trial, WantedEnd end);
  void end_paused();
  void act();

  Journal& journal_;
  Runner& runner_;
  const Clock& clock_;
  Hooks hooks_;
  Time begun_ = {};
  SweepState state_;
  std::unique_ptr<Proposals> proposals_;
  StopOptions stops_;
  std::map<std::uint64_t, Progress> progress_;  ///< of running trials
  std::map<std::uint64_t, std::string> waits_;
  std::vector<Observation> observations_;      ///< of all trials; updated when needed
  std::map<std::uint64_t, WantedEnd> ending_;  ///< trials that are being stopped
  bool is_exhausted_ = false;
  std::string ends_because_;                   ///< if not empty, no more trials start
  bool is_cancelled_ = false;                  ///< if true, running trials are being stopped
  std::vector<std::uint64_t> to_begin_again_;  ///< trials to start again; the last one is next
  std::vector<TrialJob> to_start_;
  std::vector<std::uint64_t> next_wave_;  ///< trials that will start as one Job
  std::vector<size_t> waves_to_start_;
  Time second_ = {};  ///< when the count begun_in_second_ began
  int begun_in_second_ = 0;
  std::vector<std::string> to_stop_;
};

}  // namespace kml::sweep
