#pragma once

#include <memory>

#include "pipeline/runner/step_runner.h"

namespace kml::pipeline {

/// Runs steps as jobs on a cluster, where kml-step wraps their commands. Inputs are sent as Secrets; a step's
/// outputs come back through its pod's log into `store`.
std::unique_ptr<StepRunner> make_cluster_step_runner(kube::Client& client, StepRunnerOptions options,
                                                     const Pipeline& pipeline, const LocalStore& store,
                                                     const job::Interrupt& interrupt);

}  // namespace kml::pipeline
