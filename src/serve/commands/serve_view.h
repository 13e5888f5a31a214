#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "kml/base/json.h"
#include "kml/serve/model/rollout.h"

namespace kml::cli {

/// Declares the argument NAME, of which there may be at most so many.
void takes_served(Command& command, std::vector<std::string>& names, size_t most = 1);

/// "Running", "Starting", "Updating" (an earlier revision still runs), "Stopped", or "scaled to zero after
/// 10m without a request".
std::string state_of_served(const Json& deployment);

/// What was typed; for a Deployment of `kml submit -t serve`, the command of its container.
std::string command_of_served(const Json& deployment_or_set);

/// Where a Service answers: "http://127.0.0.1:23456" on this machine, "http://NAME.NAMESPACE:8080" inside a
/// cluster. Empty if the Service has no port yet.
std::string url_of(bool is_local, const Json& service);

/// Waits for the rollout and prints its progress. Returns why it failed. `selector` as for
/// jobs::wait_for_rollout().
std::optional<jobs::RolloutFailure> follow_rollout(Context& context, const std::string& name,
                                                   std::chrono::seconds limit,
                                                   const std::string& selector = {});

/// How long a rollout may take if nothing else is said.
inline constexpr std::chrono::seconds kRolloutLimit = std::chrono::minutes(10);

/// Waits until the served Deployments among the objects are ready. Throws Error (job_failed, or unreachable
/// at the limit) if one does not become ready.
void wait_for_served(Context& context, const std::vector<Json>& objects,
                     std::optional<std::chrono::seconds> limit);

/// After a rollout that failed: notes that, and goes back to the last revision that was ready; if the
/// Deployment has not changed since `before`, there is nothing to go back from. Tells what it did.
void undo_rollout(Context& context, const std::string& name, const jobs::RolloutFailure& failure,
                  const Json& before);

/// Prints the last lines of the pod that failed.
void print_last_lines(Context& context, const jobs::RolloutFailure& failure);

}  // namespace kml::cli
