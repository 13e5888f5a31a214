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

/// Runs a pipeline to its end. Writes every decision to the journal before carrying it out, so that the next
/// engine continues where this one stopped.
class Engine : private engine::Planner {
 public:
  struct Hooks {
    /// Called after each round of decisions.
    std::function<void(const Engine&)> on_step = [](const Engine&) {};
    /// Whether to stop the run.
    std::function<bool()> stop_wish = [] { return false; };
  };

  /// The journal must already have the run's first record, and `pipeline` must be the one in that record. The
  /// engine adds steps to it if a foreach is over outputs of other steps. All arguments must outlive the
  /// engine.
  Engine(Journal& journal, Pipeline& pipeline, const Cache& cache, StepRunner& runner, const Clock& clock,
         Hooks hooks);
  ~Engine() override;

  /// Returns when the run has ended; state().end() says how. Throws if the engine stops earlier: Error
  /// (interrupted) from the runner, or a full disk. The jobs then keep running.
  void run(const std::string& owner);

  const RunState& state() const;
  const Pipeline& pipeline() const;
  /// For Hooks::on_step: the steps that have changed since its last call, in the pipeline's order.
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
  bool is_closing_ = false;  ///< set for this round of decisions
};

}  // namespace kml::pipeline
