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

/// Waits for the rollout of a Deployment, reports its progress, and returns why it failed: see
/// wait_for_rollout(). An empty selector is that of the served program.
using FollowRollout = std::function<std::optional<RolloutFailure>(
    const std::string& deployment, std::chrono::seconds limit, const std::string& selector)>;

/// How long a rollout may take by default.
inline constexpr std::chrono::seconds kRolloutLimit = std::chrono::minutes(10);

/// The objects that `kml serve` sends, and the existing ones.
struct ServePlan {
  ServeSettings settings;
  Json deployment;                                        ///< the requested one
  std::vector<job::Belonging> belongings;                 ///< the objects that it needs, such as Secrets
  std::optional<Json> deployment_before, service_before;  ///< what an earlier `kml serve` created
};

/// Reads what exists. If that is ready, notes it, so that an update that fails can go back to it. Changes
/// nothing else. Throws Error if an object with that name was not made by kml serve.
ServePlan plan_serve(kube::Client& client, ServeSettings settings, Json deployment,
                     std::vector<job::Belonging> belongings);

/// Creates or updates the Deployment and its Service, and waits for the rollout. Returns why that failed.
/// `server` is the server's URL. Throws Error, after which no belonging is left without an owner.
std::optional<RolloutFailure> serve(kube::Client& client, const std::string& server, const ServePlan& plan,
                                    std::chrono::seconds limit, const FollowRollout& follow);

/// The result of undo().
struct Undone {
  enum class Outcome {
    unchanged,   ///< the Deployment still has its earlier revision
    not_undone,  ///< no earlier revision was ready
    failed,      ///< the earlier revision does not run either
    restored,
  };
  Outcome outcome = Outcome::unchanged;
  long long revision = 0;     ///< the restored one
  bool kept_serving = false;  ///< it is the revision before the update
  std::string cause = {};     ///< why it does not run
};

/// After a rollout that failed for that cause: notes the cause, and goes back to the last revision that was
/// ready. `before` is the Deployment before the update.
Undone undo(kube::Client& client, const std::string& cause, const Json& before, const FollowRollout& follow);

/// The revision that go_back() chose, and why it does not run.
struct RolledBack {
  long long revision = 0;
  std::optional<RolloutFailure> failure = {};
};

/// Returns to the revision with that number, otherwise to the last one that was ready, and waits for it.
/// Throws usage Error if there is none.
RolledBack go_back(kube::Client& client, const Json& served, std::optional<long long> number,
                   const FollowRollout& follow);

/// If not all pods of the existing Deployment are ready, lets the wanted one replace them, even if it is the
/// same: they may wait for minutes before they try again.
void replace_unready(const Json& existing, Json& wanted);

}  // namespace kml::serve
