#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/why/cause.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// Whether new nodes may join the cluster. Judges by the labels, annotations and provider ids of the nodes,
/// the server's API groups, and the cluster autoscaler's status. Also true if these cannot be read.
bool may_get_other_nodes(kube::Client& client, const std::vector<Json>& nodes);

/// Equal pods; `count` of them run at once.
struct PodsWanted {
  Json spec;  ///< v1 PodSpec
  int count = 1;
};

/// The scheduler's probable decision about a job now.
struct Forecast {
  enum class Verdict { starts, waits, never };
  Verdict verdict = Verdict::starts;
  std::string text;      ///< "would wait for 4 GPUs held by bert"
  std::string fix = {};  ///< the remedy if the pods would never start
};

/// Compares the pods' requests with what each node can allocate, minus the requests of the active `pods`.
/// Considers node selectors, required node affinity, taints and cordons, but not pod affinity, volume
/// topology and quotas. Without `all_at_once`, the pods belong to an array, which starts more
/// pods as others end.
Forecast forecast(const std::vector<PodsWanted>& wanted, const std::vector<Json>& nodes,
                  const std::vector<Json>& pods, bool all_at_once = true);

/// Why one of these pods could not run on any node, even if all nodes were empty and had no taints and
/// cordons, which are easily changed. Empty if each pod could. With `all_at_once`, also why the pods do not
/// fit together.
std::optional<Cause> too_large_for_nodes(const std::vector<PodsWanted>& wanted,
                                         const std::vector<Json>& nodes, bool all_at_once);

}  // namespace kml::job
