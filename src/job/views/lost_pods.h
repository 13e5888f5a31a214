#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// Pods on nodes that do not answer. Such a pod cannot be told to stop, and nothing shows whether it still
/// runs.
struct LostPods {
  std::set<std::string> pods = {}, nodes = {};  ///< their names
  std::optional<Time> since = {};               ///< when the first of the nodes stopped answering, if known

  bool empty() const { return pods.empty(); }
  /// Adds the pod if its node does not answer.
  void look_at(const Json& pod);
  /// "node n1 does not answer: pod bert-0 may still run"
  std::string brief() const;
  /// "node n1 has not answered since TIME (5m): pod bert-0 may still run until the node answers again or is
  /// removed from the cluster"
  std::string in_words(Time now) const;
};

LostPods lost_pods_among(std::span<const Json* const> pods);

/// The pods of these jobs, which are in one namespace, that are on nodes that do not answer. Sends no request
/// if the jobs' own status shows that all their pods answer.
LostPods lost_pods_of(kube::Client& client, const std::vector<Json>& jobs);

}  // namespace kml::job
