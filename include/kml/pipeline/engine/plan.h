#pragma once

#include <string>
#include <vector>

#include "kml/pipeline/engine/cache.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::pipeline {

/// The plan of a run for one step.
struct PlannedStep {
  enum class What {
    hit,  ///< an earlier result of the step is still valid
    run,
    maybe,  ///< depends on the output of an earlier step
    skip,
    /// a foreach over another step's output; in the plan, the steps of the foreach follow this entry
    several,
  };
  std::string step;
  What what = What::run;
  std::string cause;  ///< the reason: "train.py changed"; for a hit, the run that made the result
};

/// Returns the plan, in the order of the steps. Runs nothing. Throws Error if a step's code, program or input
/// cannot be read.
std::vector<PlannedStep> plan(const Pipeline& pipeline, const Json& params, const Cache& cache,
                              const Renewal& renewal);

}  // namespace kml::pipeline
