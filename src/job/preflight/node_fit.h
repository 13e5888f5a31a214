#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/why/cause.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// Whether the cluster may get new nodes, judging by the nodes' origin, its API groups, and the cluster
/// autoscaler's status. Also true if these cannot be read.
bool may_get_other_nodes(kube::Client& client, const std::vector<Json>& nodes);

/// Equal pods, of which `count` run at once.
struct PodsWanted {
  Json spec;  ///< v1 PodSpec
  int count = 1;
};

/// The scheduler's expected treatment of a job now.
struct Forecast {
  enum class Verdict { starts, waits, never };
  Verdict verdict = Verdict::starts;
  std::string text;  ///< "would wait for 4 GPUs held by bert"
};

/// Compares requests with the nodes' allocatable resources minus those of the active `pods`. Considers node
/// selectors, required node affinity, taints and cordons, but not pod affinity, volume topology, quotas and
/// preemption. Without `all_at_once` the pods belong to an array, which continues as its pods end.
Forecast forecast(const std::vector<PodsWanted>& wanted, const std::vector<Json>& nodes,
                  const std::vector<Json>& pods, bool all_at_once = true);

/// Why one of these pods could not run even on empty nodes without taints and cordons, which are easily
/// changed; empty if each could. With `all_at_once`, even if they do not all fit together.
std::optional<Cause> too_large_for_nodes(const std::vector<PodsWanted>& wanted,
                                         const std::vector<Json>& nodes, bool all_at_once);

}  // namespace kml::job
