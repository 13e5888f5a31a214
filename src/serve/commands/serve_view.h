#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "kml/base/json.h"
#include "kml/serve/model/rollout.h"
#include "serve/model/serve.h"

namespace kml::cli {

/// Declares the argument NAME, which can be given up to `most` times.
void takes_served(Command& command, std::vector<std::string>& names, size_t most = 1);

/// The state in words: "Running", "Starting", "Crashing" (replicas are missing, and one crashes repeatedly),
/// "Updating" (enough replicas are ready, but the update is not complete), "Stopped", or "scaled to zero
/// after 10m without a request". For an InferenceService without a Deployment, as with Knative, "Running" if
/// KServe says that it is ready, otherwise "Starting". `pods` are its replicas; those of other programs are
/// ignored.
std::string state_of_served(const serve::Served& served, std::span<const Json> pods);

/// A replica that crashes repeatedly; null if there is none.
const Json* crashing_replica(const serve::Served& served, std::span<const Json> pods);

/// The pods of served programs; none if the user may not read them.
std::vector<Json> replicas_of(kube::Client& client, const std::string& namespace_name,
                              const std::string& selector);
std::vector<Json> replicas_of(kube::Client& client, const serve::Served& served);

/// The command that the user typed or, if it was not recorded, that of the first container.
std::string command_of_served(const Json& deployment_or_set);

/// Waits for the rollout, and prints its progress. Returns why it failed; empty if it succeeded.
std::optional<serve::RolloutFailure> follow_rollout(Context& context, const serve::Rollout& rollout,
                                                    std::chrono::seconds limit);

/// Returns follow_rollout() as a callback for functions in kml/serve.
serve::FollowRollout rollouts_of(Context& context);

/// Called at the time limit for a program that is not ready, but has not been stopped: prints that the
/// rollout continues, and returns the Error (unreachable).
Error not_ready_in_time(Context& context, const std::string& name, const serve::RolloutFailure& failure,
                        std::chrono::seconds limit);

/// Waits until the served Deployments among the objects are ready. If one does not become ready, throws Error
/// (job_failed; unreachable at the time limit).
void wait_for_served(Context& context, const std::vector<Json>& objects,
                     std::optional<std::chrono::seconds> limit);

/// Called after a failed rollout: returns to the last revision that was ready, see serve::undo(), and prints
/// what was done. Returns whether the failed revision was replaced.
bool undo(Context& context, const serve::RolloutFailure& failure, const Json& before);

/// Prints the last lines of the pod that failed.
void print_last_lines(Context& context, const serve::RolloutFailure& failure);

}  // namespace kml::cli
