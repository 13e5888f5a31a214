#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/engine/loop/loop.h"
#include "kml/pipeline/engine/cache.h"
#include "kml/pipeline/engine/run_state.h"
#include "kml/pipeline/journal/journal.h"
#include "kml/pipeline/language/pipeline.h"
#include "pipeline/engine/step_job.h"

namespace kml::pipeline {

/// Runs a pipeline to its end. Writes each decision to the journal before carrying it out, so that the next
/// engine can continue where this one stopped.
class Engine : private engine::Planner {
 public:
  struct Hooks {
    /// Called after each round of decisions.
    std::function<void(const Engine&)> on_step = [](const Engine&) {};
    /// Returns true if the run must be stopped.
    std::function<bool()> stop_wish = [] { return false; };
    /// Whether a step that starts again after a preemption, or because an output was lost, uses up a retry.
    /// If so, the run cannot use more GPU hours than its plan says.
    bool counts_restarts = false;
  };

  /// The journal must already contain the run's first record, and `pipeline` must be the pipeline in that
  /// record. If a foreach uses outputs of other steps, the engine adds steps to the pipeline. All arguments
  /// must outlive the engine.
  Engine(Journal& journal, Pipeline& pipeline, const Cache& cache, StepRunner& runner, const Clock& clock,
         Hooks hooks);
  ~Engine() override;

  /// Returns when the run has ended; state().end() says how. Throws Error if the engine stops earlier, for
  /// example because the runner was interrupted or the disk is full. The jobs then continue to run.
  void run(const std::string& owner);

  const RunState& state() const;
  const Pipeline& pipeline() const;
  /// For Hooks::on_step: the steps that have changed since its last call, in the order of the pipeline.
  std::vector<const Step*> changed() const;

 private:
  struct Parts;

  void reattach() override;
  void plan() override;
  bool grow() override;
  void tell() override;
  std::optional<std::chrono::milliseconds> longest_wait() const override;
  void take(const engine::JobReport& report) override;
  void end() override;
  void repeat_exits();
  void consider_stop();
  void consider_steps();
  void grow(const Step& step);
  bool is_ready(size_t place) const;

  StepRunner& runner_;
  const Hooks hooks_;
  const std::unique_ptr<Parts> parts_;
  bool is_closing_ = false;  ///< set for the current round of decisions
};

}  // namespace kml::pipeline
