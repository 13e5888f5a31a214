#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/submit/belongings.h"
#include "kml/kube/client/client.h"
#include "kml/serve/model/manifests.h"
#include "kml/serve/model/rollout.h"

namespace kml::serve {

/// Waits for a rollout, reports its progress, and returns why it failed: see wait_for_rollout().
using FollowRollout =
    std::function<std::optional<RolloutFailure>(const Rollout& rollout, std::chrono::seconds limit)>;

/// How long a rollout may take by default.
inline constexpr std::chrono::seconds kRolloutLimit = std::chrono::minutes(10);

/// The objects that `kml serve` will send, and the objects that already exist.
struct ServePlan {
  ServeSettings settings;
  Json deployment;  ///< the new Deployment, or the one that KServe would make
  /// objects that the Deployment needs, such as Secrets
  std::vector<job::Belonging> belongings;
  /// objects that an earlier `kml serve` has created
  std::optional<Json> deployment_before, service_before, inference_service_before;
};

/// Reads the existing objects. If the existing Deployment is ready, records that, so that a failed update can
/// return to it. Changes nothing else. Throws Error if an object with that name was not created by kml serve,
/// or if the program is already served in the other form (as a Deployment or by KServe).
ServePlan plan_serve(kube::Client& client, ServeSettings settings, Json deployment,
                     std::vector<job::Belonging> belongings);

/// Creates or updates the Deployment and its Service, or the InferenceService, and waits for the rollout.
/// Returns why the rollout failed; empty if it succeeded. `server` is the server's URL. Throws Error, after
/// Belongings::give_up().
std::optional<RolloutFailure> serve(kube::Client& client, const std::string& server, const ServePlan& plan,
                                    std::chrono::seconds limit, const FollowRollout& follow);

/// The result of undo().
struct Undone {
  enum class Outcome {
    unchanged,   ///< the Deployment still has its earlier revision
    gone,        ///< the program was deleted meanwhile
    not_undone,  ///< KServe's Deployment is gone, or last_good_revision() is null
    failed,      ///< the earlier revision does not run, either
    restored,
  };
  Outcome outcome = Outcome::unchanged;
  long long revision = 0;     ///< the number of the restored revision
  bool kept_serving = false;  ///< whether the restored revision is the one before the update
  std::string cause = {};     ///< why the restored revision does not run
};

/// Called after a rollout that failed for `cause`: records the cause, and returns to last_good_revision().
/// `before` is the Deployment before the update.
Undone undo(kube::Client& client, const std::string& cause, const Json& before, const FollowRollout& follow);

/// Records why the first rollout of a program has failed, so that a later update that fails does not return
/// to the first revision.
void note_first_failure(kube::Client& client, const std::string& namespace_name, const std::string& name,
                        const std::string& cause);

/// The revision to which go_back() has returned, and why it does not run.
struct RolledBack {
  long long revision = 0;
  std::optional<RolloutFailure> failure = {};
};

/// Returns to the revision with that number or, without a number, to last_good_revision(), and waits until it
/// is running. Throws usage Error if there is no such revision.
RolledBack go_back(kube::Client& client, const Json& deployment, std::optional<long long> number,
                   const FollowRollout& follow);

/// If not all pods of the existing Deployment are ready, makes the new Deployment replace them, even if
/// nothing has changed, because such pods may wait for minutes before they are restarted.
void replace_unready(const Json& existing, Json& wanted);

}  // namespace kml::serve
