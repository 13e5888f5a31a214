#pragma once

#include <filesystem>

#include "pipeline/engine/step_job.h"
#include "pipeline/language/fill_step.h"
#include "pipeline/runner/step_runner.h"

namespace kml::pipeline {

/// A step's command and settings. Paths in the file are relative to the file's folder, and the command starts
/// there. Throws a single usage Error with all problems, and the errors of options.check().
FilledStep filled_here(const StepRunnerOptions& options, const Pipeline& pipeline, const StepJob& job);

/// The folder on this machine in which the command starts; empty if its code is copied into a pod.
std::filesystem::path working_folder(const FilledStep& filled);

}  // namespace kml::pipeline
