#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "job/capacity/queue_room.h"
#include "job/why/causes.h"
#include "job/why/facts.h"

namespace kml::job {

/// The jobs that hold the quota that a Workload lacks, in its ClusterQueue and, if they were read, in the
/// other ClusterQueues of its cohort.
class SharedQuota {
 public:
  /// `short_of` are the resources that the Workload lacks, with the amounts that it asks for.
  SharedQuota(const Facts& facts, const Json& workload, std::span<const FlavorShortfall> short_of);

  /// The jobs that hold the first resource, the largest first. Leaves out a job in another ClusterQueue if
  /// the quotas show that its end would free nothing for the Workload.
  std::vector<Holder> holders() const;

  /// The fewest jobs that kml can cancel so that Kueue then admits the Workload, before any other one. Of
  /// several such sets, the one that frees the least. Empty if there is no such set of at most three jobs, or
  /// if another Workload may be first.
  std::vector<Holder> fewest_to_free() const;

 private:
  struct Holding {
    Holder holder;
    size_t queue;                  ///< index into queues_
    std::vector<int64_t> amounts;  ///< by resource, as in short_of_
  };
  using Chosen = std::vector<const Holding*>;

  void add_holders(size_t queue);
  void add_quotas();
  std::vector<CellQuota> without(size_t resource, const Chosen& ended) const;
  int64_t free_without(size_t resource, const Chosen& ended) const;
  int64_t freed(size_t resource, const Chosen& ended) const;
  bool is_enough(const Chosen& ended) const;
  bool frees_any(const Holding& one) const;
  bool borrows_without(const Chosen& ended) const;
  bool another_is_first(const Chosen& ended) const;
  std::vector<const Holding*> candidates() const;

  const Facts& facts_;
  const Json& workload_;
  const std::span<const FlavorShortfall> short_of_;
  std::vector<std::string> queues_;  ///< the names of the ClusterQueues; the first is the Workload's
  std::vector<std::vector<CellQuota>> quotas_;  ///< by resource and queue; empty if unknown
  std::vector<Holding> holdings_;
  /// Whether the quotas explain how much Kueue says is missing. Nested cohorts have other quotas, which kml
  /// does not read.
  bool is_exact_ = false;
};

}  // namespace kml::job
