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

// Functions for steps that are commands of kml itself, such as `kml sweep run`.
namespace kml::pipeline {

/// Turns a step's mapping into flags: "--trials=16", "--param=lr=log:1e-4..1e-1". Throws usage Error if a
/// placeholder in it has no value.
std::vector<std::string> flags_of(const yaml::Node& mapping, const StepJob& job, const std::string& file);

/// The flag's value, in which a duration has a unit: the flags of kml reject a number without a unit, but in
/// pipeline files, such a number has always meant seconds.
std::string with_unit(const std::string& flag, std::string value);

/// The flags for the step's settings. In an engine's pod, which has no kml.yaml, also includes flags for the
/// defaults.
std::vector<std::string> setting_flags(const StepRunnerOptions& options, const FilledStep& filled);

/// Flags that mount the step's inputs from the store at the paths that its command uses. InputSender sends
/// those that are on this machine. Throws usage Error for a file without a store. `what` is, for example, "a
/// sweep".
std::vector<std::string> input_mounts(const StepJob& job, const std::optional<ClaimStore>& store,
                                      std::string_view what);

/// The words that run kml itself, without a shell, because an engine's image may have none.
std::vector<std::string> own_command(const std::vector<std::string>& words);

}  // namespace kml::pipeline
