#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/yaml.h"
#include "pipeline/engine/step_job.h"
#include "pipeline/language/fill_step.h"
#include "pipeline/runner/claim_store.h"
#include "pipeline/runner/step_runner.h"

// Steps that are commands of kml itself, such as `kml sweep run`.
namespace kml::pipeline {

/// The flags that a step's mapping stands for: "--trials=16", "--param=lr=log:1e-4..1e-1". Throws Error
/// (usage) if a placeholder in it has no value.
std::vector<std::string> flags_of(const yaml::Node& mapping, const StepJob& job, const std::string& file);

/// The flags for the step's settings. In an engine's pod, which has no kml.yaml, includes those for the
/// defaults.
std::vector<std::string> setting_flags(const StepRunnerOptions& options, const FilledStep& filled);

/// The flags that mount the step's inputs, which are on a claim, at the paths where its command expects them.
/// Throws Error (usage) if an input is elsewhere. `what` is "a sweep".
std::vector<std::string> input_mounts(const StepJob& job, const std::optional<ClaimStore>& store,
                                      std::string_view what);

/// The words that run kml itself. The image of an engine may have no shell.
std::vector<std::string> own_command(const std::vector<std::string>& words);

}  // namespace kml::pipeline
