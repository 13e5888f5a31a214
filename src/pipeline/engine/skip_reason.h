#pragma once

#include <string>

#include "pipeline/engine/live_run.h"
#include "pipeline/engine/run_course.h"
#include "pipeline/engine/step_inputs.h"

namespace kml::pipeline {

/// Why the step must be skipped; empty if it need not be.
std::string reason_to_skip(const Step& step, const LiveRun& run, const StepInputs& inputs,
                           const RunCourse& course);

}  // namespace kml::pipeline
