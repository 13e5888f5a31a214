#pragma once

#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/kube/client/client.h"

namespace kml::serve {

/// A Deployment's or ReplicaSet's revision, which the annotation deployment.kubernetes.io/revision counts; 0
/// if it has none.
long long revision_number(const Json& deployment_or_set);

/// A version of a served program: the pod template of a ReplicaSet.
struct Revision {
  enum class Outcome { unknown, ready, failed };
  Json set;
  long long number = 0;
  bool is_current = false;
  Outcome outcome = Outcome::unknown;  ///< of its last rollout, as far as kml saw it
  std::string cause = {};              ///< why that failed
};

/// The newest first.
std::vector<Revision> served_revisions(kube::Client& client, const Json& deployment);

/// Records how the rollout of the Deployment's current revision ended; an empty cause means that it was
/// ready. Without the right to change ReplicaSets, records nothing.
void note_outcome(kube::Client& client, const Json& deployment, const std::string& cause);

/// Does this if it is ready, so that a failing update can return to it.
void note_if_ready(kube::Client& client, const Json& deployment);

/// The revision to return to: the newest one except the current that was ready, otherwise the newest whose
/// outcome is unknown. Null if there is none.
const Revision* last_good_revision(const std::vector<Revision>& revisions);

/// Gives the Deployment the pod template of an earlier revision, as `kubectl rollout undo` does, and that
/// number of replicas. Returns the new Deployment.
Json roll_back(kube::Client& client, const Json& deployment, const Json& replica_set, long long replicas);

}  // namespace kml::serve
