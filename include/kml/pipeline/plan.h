#pragma once

#include <string>
#include <vector>

#include "kml/pipeline/cache.h"
#include "kml/pipeline/pipeline.h"

namespace kml::pipeline {

/// What a run would do with a step.
struct PlannedStep {
  enum class What {
    hit,  ///< an earlier result stands
    run,
    maybe,  ///< it depends on what a step before it makes
    skip,
  };
  std::string step;
  What what = What::run;
  std::string cause;  ///< of what it does: "train.py changed"; of a hit: the run that made the result
};

/// In the steps' order; nothing is run. Throws Error if a step's surroundings cannot be read.
std::vector<PlannedStep> plan(const Pipeline& pipeline, const Json& params, const Cache& cache,
                              const Renewal& renewal);

}  // namespace kml::pipeline
