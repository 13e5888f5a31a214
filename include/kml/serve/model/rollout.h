#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/views/interrupt.h"
#include "kml/kube/client/client.h"
#include "kml/pod/streams/running_rank.h"

namespace kml::serve {

/// The Deployment with that label of kml serve. Throws Error if there is none, with the names of others, or
/// if it was not made by kml serve.
Json find_served(kube::Client& client, const std::string& namespace_name, const std::string& name);

/// The Deployments that steps of a run made or updated, unless another `kml serve` has updated them since.
std::vector<Json> served_by_run(kube::Client& client, const std::string& namespace_name,
                                const std::string& run_id);

/// Removes the Deployment and its Service.
void stop_served(kube::Client& client, const Json& deployment);

/// Like `kubectl rollout status`: all replicas are updated and available.
bool is_rolled_out(const Json& deployment);

/// The fix if no better one is known.
inline constexpr const char* kServeAgain = "serve it again with a change";

/// Why a rollout has failed.
struct RolloutFailure {
  std::string cause;                  ///< a sentence without a full stop
  std::string fix = {};               ///< a command, or words
  std::vector<std::string> log = {};  ///< the last lines of the pod that failed
  std::string pod = {};               ///< its name; may be empty
  bool is_out_of_time = false;        ///< it may still succeed
};

/// Watches a Deployment until its current revision is rolled out. Returns why it cannot be: a pod crashes
/// again and again, its image or a Secret is missing, or the time is over. Throws Error (interrupted) on a
/// signal. `progress` gets phrases such as "1 of 2 replicas ready". `selector` selects its pods; the default
/// is serve_selector(name).
std::optional<RolloutFailure> wait_for_rollout(kube::Client& client, const std::string& namespace_name,
                                               const std::string& name, const job::Interrupt& interrupt,
                                               std::chrono::seconds limit,
                                               const std::function<void(const std::string&)>& progress,
                                               const std::string& selector = {});

/// The running pods of the Deployment `name`, which the selector finds, as ranks of a job with that name.
std::vector<pod::RunningRank> running_pods(kube::Client& client, const std::string& namespace_name,
                                           const std::string& name, const std::string& selector,
                                           const std::string& container = {});

/// The running pods of the served program: all, or the one with that label, the last part of its name. Empty
/// if nothing with that name is served.
std::vector<pod::RunningRank> served_ranks(kube::Client& client, const std::string& namespace_name,
                                           const std::string& name, const std::string& label,
                                           const std::string& container);

}  // namespace kml::serve
