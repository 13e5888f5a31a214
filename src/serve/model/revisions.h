#pragma once

#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/kube/client/client.h"

namespace kml::serve {

/// The revision number of a Deployment or ReplicaSet, from the annotation deployment.kubernetes.io/revision;
/// 0 if it has none.
long long revision_number(const Json& deployment_or_set);

/// A version of a served model: the pod template in a ReplicaSet.
struct Revision {
  enum class Outcome { unknown, ready, failed };
  Json set;
  long long number = 0;
  bool is_current = false;
  Outcome outcome = Outcome::unknown;  ///< the outcome of its last rollout, as far as kml has seen it
  std::string cause = {};              ///< why its last rollout failed
};

/// The model's revisions, the newest first.
std::vector<Revision> served_revisions(kube::Client& client, const Json& deployment);

/// Records how the rollout of the Deployment's current revision ended. An empty cause means that it became
/// ready. Records nothing if that fails, for example because the user may not change ReplicaSets.
void note_outcome(kube::Client& client, const Json& deployment, const std::string& cause);

/// If the current revision is ready, records that, so that a failed update can return to it.
void note_if_ready(kube::Client& client, const Json& deployment);

/// The revision to return to: the newest earlier revision that was ready or, if none was, the newest earlier
/// one whose outcome is unknown. Null if there is neither.
const Revision* last_good_revision(const std::vector<Revision>& revisions);

/// Gives the Deployment the pod template of an earlier revision, as `kubectl rollout undo` does, and this
/// number of replicas. If KServe makes the Deployment, its InferenceService gets that template, and keeps its
/// number of replicas.
void roll_back(kube::Client& client, const Json& deployment, const Json& replica_set, long long replicas);

}  // namespace kml::serve
