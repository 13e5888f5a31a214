#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kml/base/json.h"

namespace kml::job {

/// A resource in a flavor of Kueue.
struct QuotaCell {
  std::string flavor, resource;
  auto operator<=>(const QuotaCell&) const = default;
};

/// A ClusterQueue's quota for one flavor and resource, in thousandths.
struct CellQuota {
  int64_t nominal = 0, used = 0;
  std::optional<int64_t> borrowing = {}, lending = {};

  /// The part of the quota that the queue never lends.
  int64_t guaranteed() const;
  int64_t lent_most() const { return nominal - guaranteed(); }
};
/// The usage is read from the queue's status.
CellQuota cell_quota_of(const Json& cluster_queue, const QuotaCell& cell);

/// How much of a flavor's resource a queue could ever use, and how much it could use now, including what
/// other queues in its cohort lend.
struct CellRoom {
  int64_t most = 0, free = 0;
};
/// As in Kueue's pkg/cache/scheduler/resource_node.go, for a cohort without parents. `cohort` has the quotas
/// of all queues in the cohort, including `own`; it is empty if the queue is in no cohort.
CellRoom cell_room(const CellQuota& own, std::span<const CellQuota> cohort);

/// The ClusterQueue, with its usage replaced by the quota that Workloads have reserved. Only includes the
/// Workloads that `counts` accepts. The queue's own status has the same sums, but some seconds late.
Json with_reservations(Json cluster_queue, const std::vector<Json>& workloads,
                       const std::function<bool(const Json& workload)>& counts);

}  // namespace kml::job
