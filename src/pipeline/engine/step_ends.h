#pragma once

#include <map>
#include <optional>
#include <string>

#include "kml/base/clock.h"
#include "kml/engine/journal/job_report.h"
#include "kml/pipeline/engine/cache.h"
#include "pipeline/engine/live_run.h"
#include "pipeline/engine/run_course.h"
#include "pipeline/engine/run_decisions.h"
#include "pipeline/engine/step_inputs.h"
#include "pipeline/engine/step_job.h"
#include "pipeline/engine/step_jobs.h"

namespace kml::pipeline {

/// Decides what a report about a step's job means: a result, another attempt, or a failure.
class StepEnds {
 public:
  struct Uses {
    const LiveRun& run;
    const RunCourse& course;
    const StepInputs& inputs;
    const StepJobs& jobs;
    const Cache& cache;
    StepRunner& runner;
    RunDecisions& decisions;
  };

  /// The arguments must outlive this object.
  explicit StepEnds(const Uses& uses) : use_(uses) {}

  /// See Engine::Hooks::counts_restarts.
  void count_restarts() { counts_restarts_ = true; }
  /// When this engine started.
  void set_begun(Time begun) { begun_ = begun; }

  void take(const Step& step, const engine::JobReport& report);

 private:
  void take_end(const Step& step, const engine::JobReport& report);
  void take_success(const Step& step, const engine::JobReport& report);
  Json made_by(const Step& step, const engine::JobReport& report);
  double metric_of(const Output& output, const engine::JobReport& report) const;
  std::string keep(const Step& step, const Json& outputs, const engine::JobReport& report);
  std::optional<Time> earlier_end(const engine::JobReport& report) const;
  bool renew_source(const Step& step, const engine::JobReport& report);
  bool count_loss(const Step& step);
  void fail(const Step& step, const engine::JobReport& report, const std::string& cause,
            bool is_lost = false);

  const Uses use_;
  bool counts_restarts_ = false;
  Time begun_ = {};
  std::map<std::string, std::map<std::string, double>> metrics_;  ///< metrics at their highest steps, by job
  std::map<std::string, int> losses_;                             ///< by step
};

}  // namespace kml::pipeline
