#pragma once

#include <chrono>
#include <optional>

#include "kml/engine/journal/job_report.h"
#include "kml/engine/loop/decisions.h"
#include "kml/engine/loop/runner.h"

namespace kml::engine {

/// The decisions of an engine in its loop, see Decisions.
class Planner {
 public:
  virtual ~Planner() = default;
  /// Continues the jobs that an earlier engine started. The runner finds the existing ones, and creates those
  /// that the earlier engine recorded but did not create.
  virtual void reattach() = 0;
  /// Decides which jobs to start and stop now.
  virtual void plan() = 0;
  /// Called after the jobs were started. Returns whether there is more to plan now, even without a report.
  virtual bool grow() { return false; }
  /// Called after each round of decisions, and at the end.
  virtual void tell() = 0;
  /// How long to wait for reports before the next plan(); empty if the engine has nothing left to do.
  virtual std::optional<std::chrono::milliseconds> longest_wait() const = 0;
  virtual void take(const JobReport& report) = 0;
  /// Makes the last decisions.
  virtual void end() = 0;
};

/// Plans, acts and waits for reports until there is nothing left to do. Throws if the engine stops earlier:
/// Error (interrupted) from the runner, or another Error, for example because the disk is full. The jobs then
/// continue to run.
template <typename Record, typename Job>
void run_to_end(Planner& planner, Decisions<Record, Job>& decisions, Runner<Job>& runner) {
  planner.reattach();
  while (true) {
    planner.plan();
    decisions.carry_out(runner);
    if (planner.grow()) continue;
    planner.tell();
    const auto limit = planner.longest_wait();
    if (!limit) break;
    for (const JobReport& report : runner.wait(*limit)) planner.take(report);
  }
  planner.end();
  decisions.commit();
  planner.tell();
}

}  // namespace kml::engine
