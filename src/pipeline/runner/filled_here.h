#pragma once

#include <filesystem>

#include "pipeline/engine/step_job.h"
#include "pipeline/language/fill_step.h"
#include "pipeline/runner/step_runner.h"

namespace kml::pipeline {

/// A step's command and settings. Relative paths in the file start at the file's folder, and so does the
/// command. Throws one Error (usage) with every problem, and what options.check() throws.
FilledStep filled_here(const StepRunnerOptions& options, const Pipeline& pipeline, const StepJob& job);

/// The folder on this machine in which that command starts; empty if its code is copied to a folder of its
/// pod.
std::filesystem::path working_folder(const FilledStep& filled);

}  // namespace kml::pipeline
