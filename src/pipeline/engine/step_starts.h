#pragma once

#include <string>
#include <vector>

#include "kml/pipeline/engine/cache.h"
#include "pipeline/engine/live_run.h"
#include "pipeline/engine/run_course.h"
#include "pipeline/engine/run_decisions.h"
#include "pipeline/engine/step_claims.h"
#include "pipeline/engine/step_inputs.h"
#include "pipeline/engine/step_job.h"
#include "pipeline/engine/step_jobs.h"

namespace kml::pipeline {

/// Decides what happens to a step that need not wait for other steps: it is skipped, uses an earlier result,
/// gets a job, or fails.
class StepStarts {
 public:
  struct Uses {
    const LiveRun& run;
    const RunCourse& course;
    const StepInputs& inputs;
    const StepJobs& jobs;
    const Cache& cache;
    const StepRunner& runner;
    StepClaims& claims;
    RunDecisions& decisions;
  };

  /// The arguments must outlive this object.
  explicit StepStarts(const Uses& uses) : use_(uses) {}

  /// Continues the job that an earlier engine has started.
  void reattach(const Step& step);
  /// Whether the step must wait, because its foreach is already running the maximum number of steps, or
  /// because another running step writes to the same file.
  bool is_crowded(const Step& step) const;
  /// Decides about the step. If the step must wait for another run or step, only records that. Throws Error
  /// if the step cannot run.
  void consider(const Step& step);

 private:
  bool claim_what_it_makes(const Step& step, const Verdict& verdict);
  bool claim_key(const Step& step, const std::string& key, const char* what);
  std::vector<std::string> path_keys(const Step& step) const;
  std::string changed_input(const Step& step, const Json& inputs) const;
  void begin(const Step& step, const Verdict& verdict, const Json& inputs);

  const Uses use_;
};

}  // namespace kml::pipeline
