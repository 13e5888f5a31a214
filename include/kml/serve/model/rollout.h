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

/// The Deployment of the model with that name. Throws Error if there is none (the error lists other models),
/// or if the Deployment was not made by kml serve.
Json find_served(kube::Client& client, const std::string& namespace_name, const std::string& name);

/// The Deployments that steps of a run made or updated. Leaves out those that another `kml serve` has updated
/// since.
std::vector<Json> served_by_run(kube::Client& client, const std::string& namespace_name,
                                const std::string& run_id);

/// Removes the Deployment and its Service.
void stop_served(kube::Client& client, const Json& deployment);

/// Whether all replicas are updated and available, as in `kubectl rollout status`.
bool is_rolled_out(const Json& deployment);

/// The Error's fix if there is no better one.
inline constexpr const char* kServeAgain = "serve it again with a change";

/// Why a rollout has failed.
struct RolloutFailure {
  std::string cause;                  ///< a sentence without a full stop
  std::string fix = {};               ///< a command, or a sentence
  std::vector<std::string> log = {};  ///< the last lines of the pod that failed
  std::string pod = {};               ///< the pod's name; may be empty
  bool is_out_of_time = false;        ///< whether the rollout may still succeed
};

/// Watches a Deployment until its current revision is rolled out. If that fails, returns why: a pod crashes
/// again and again, its image or a Secret is missing, or the time is over. Throws Error (interrupted) on a
/// signal. `progress` receives phrases such as "1 of 2 replicas ready". `selector` selects the pods; the
/// default is serve_selector(name).
std::optional<RolloutFailure> wait_for_rollout(kube::Client& client, const std::string& namespace_name,
                                               const std::string& name, const job::Interrupt& interrupt,
                                               std::chrono::seconds limit,
                                               const std::function<void(const std::string&)>& progress,
                                               const std::string& selector = {});

/// The running pods of the Deployment `name`, in the form of a job's ranks. `selector` selects the pods.
std::vector<pod::RunningRank> running_pods(kube::Client& client, const std::string& namespace_name,
                                           const std::string& name, const std::string& selector,
                                           const std::string& container = {});

/// The running pods of a model, or only the pod with that label, which is the last part of the pod's name.
/// Empty if no model has that name.
std::vector<pod::RunningRank> served_ranks(kube::Client& client, const std::string& namespace_name,
                                           const std::string& name, const std::string& label,
                                           const std::string& container);

}  // namespace kml::serve
