#pragma once

#include <filesystem>

#include "kml/jobs/pipeline/step_runner.h"
#include "kml/pipeline/engine.h"
#include "kml/pipeline/fill_step.h"

namespace kml::jobs {

/// A step's command and settings; what is relative in the file is so to the file's folder, and a command
/// begins there. Throws one Error (usage) with every problem, and what
/// options.check() throws.
pipeline::FilledStep filled_here(const StepRunnerOptions& options, const pipeline::Pipeline& pipeline,
                                 const pipeline::StepJob& job);

/// Where that command begins on this machine; empty where its code goes along to a folder of its pod's.
std::filesystem::path working_folder(const pipeline::FilledStep& filled);

}  // namespace kml::jobs
