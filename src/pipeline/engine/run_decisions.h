#pragma once

#include "kml/engine/loop/decisions.h"
#include "kml/pipeline/journal/record.h"
#include "pipeline/engine/step_job.h"

namespace kml::pipeline {

using RunDecisions = engine::Decisions<Record, StepJob>;

}  // namespace kml::pipeline
