#pragma once

#include <filesystem>

#include "pipeline/engine/step_job.h"
#include "pipeline/language/fill_step.h"
#include "pipeline/runner/step_runner.h"

namespace kml::pipeline {

/// A step's command and settings. Paths in the file are relative to the file's folder. On this machine, the
/// command starts there unless the settings say otherwise. Throws usage Error, and the errors of
/// options.check().
FilledStep filled_here(const StepRunnerOptions& options, const Pipeline& pipeline, const StepJob& job);

/// Makes the paths of files and folders in a step's settings absolute; they are relative to `folder`, the
/// folder of the pipeline's file.
void make_absolute(std::vector<spec::Setting>& settings, const std::filesystem::path& folder);

/// The folder on this machine in which the command starts, according to the settings; empty if its code is
/// copied into a pod.
std::filesystem::path working_folder(const FilledStep& filled);

}  // namespace kml::pipeline
