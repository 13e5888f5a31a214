#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/views/interrupt.h"
#include "kml/job/views/job_view.h"
#include "kml/kube/client/client.h"
#include "kml/pod/streams/running_rank.h"
#include "kml/serve/model/served.h"

namespace kml::serve {

/// The rollout of a Deployment.
struct Rollout {
  std::string name;      ///< the name of the Deployment or InferenceService
  std::string selector;  ///< the label selector of the Deployment's pods and ReplicaSets
  bool is_by_kserve = false;
};
/// The rollout of a Deployment that kml or KServe has made.
Rollout rollout_of(const Json& deployment);
Rollout rollout_of(const Served& served);
/// The rollout of the Deployment that KServe makes for an InferenceService.
Rollout rollout_by_kserve(const std::string& name);

/// Whether all replicas are updated and available, as in `kubectl rollout status`.
bool is_rolled_out(const Json& deployment);
/// Whether all replicas are updated and available. If KServe makes the Deployment, it must also have made it
/// from the InferenceService's current state.
bool is_rolled_out(const Served& served);

/// The Error's fix if there is no better one.
inline constexpr const char* kServeAgain = "serve it again with a change";

/// Why a rollout has failed.
struct RolloutFailure {
  std::string cause;                  ///< a sentence without a period
  std::string fix = {};               ///< a command, or a sentence
  std::vector<std::string> log = {};  ///< the last lines of the pod that failed
  std::string pod = {};               ///< the pod's name; may be empty
  /// the code of the pod's cause; `none` if no pod has a cause
  job::CauseCode code = job::CauseCode::none;
  bool is_out_of_time = false;  ///< whether the time limit has passed; the rollout may still succeed
  std::string progress = {};    ///< at the time limit: "1 of 2 replicas ready"; may be empty
};

/// Watches a Deployment until its current revision is rolled out. If that fails, returns why: a pod crashes
/// again and again, its image or a Secret is missing, the Deployment was deleted, or the time limit has
/// passed. The progress deadline of the Deployment does not end the wait, because its controller keeps
/// trying. Throws Error (interrupted) on a signal. `progress` receives phrases such as "1 of 2 replicas
/// ready".
std::optional<RolloutFailure> wait_for_rollout(kube::Client& client, const std::string& namespace_name,
                                               const Rollout& rollout, const job::Interrupt& interrupt,
                                               std::chrono::seconds limit,
                                               const std::function<void(const std::string&)>& progress);

/// The running pods of the Deployment `name`, represented like a job's ranks. `selector` selects the pods.
std::vector<pod::RunningRank> running_pods(kube::Client& client, const std::string& namespace_name,
                                           const std::string& name, const std::string& selector);

/// The running pods of a model or, if `label` is not empty, only the pod whose name ends in that label. Empty
/// if there is no such model, or no pods of it on Kubernetes itself, as with Knative.
std::vector<pod::RunningRank> served_ranks(kube::Client& client, const std::string& namespace_name,
                                           const std::string& name, const std::string& label,
                                           const std::string& container);

/// Adds the port of the program's Service, so that users can name it in place of the pod's port.
void add_service_port(kube::Client& client, const std::string& name, std::vector<pod::RunningRank>& ranks);

}  // namespace kml::serve
