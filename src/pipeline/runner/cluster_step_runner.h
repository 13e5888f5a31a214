#pragma once

#include <memory>

#include "pipeline/runner/step_runner.h"

namespace kml::pipeline {

/// Runs steps as jobs on a cluster. kml-step runs in their pods and calls their commands. If `options` names
/// neither a claim nor a bucket for outputs, inputs are sent as Secrets, and the outputs of a step are read
/// from its pod's log and put into `store`.
std::unique_ptr<StepRunner> make_cluster_step_runner(kube::Client& client, StepRunnerOptions options,
                                                     const Pipeline& pipeline, const LocalStore& store,
                                                     const job::Interrupt& interrupt);

}  // namespace kml::pipeline
