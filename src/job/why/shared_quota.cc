#include "job/why/shared_quota.h"

#include <algorithm>

#include "job/capacity/kueue_api.h"
#include "job/why/queue.h"
#include "job/why/room.h"
#include "kml/job/capacity/workloads.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

SharedQuota::SharedQuota(const Facts& facts, const Json& workload, std::span<const FlavorShortfall> short_of)
    : facts_(facts), workload_(workload), short_of_(short_of) {
  queues_ = {cluster_queue_of_workload(facts, workload)};
  if (facts.cohort)
    for (const Json& queue : *facts.cohort)
      if (api::name_of(queue) != queues_[0]) queues_.push_back(api::name_of(queue));
  for (size_t queue = 0; queue < queues_.size(); ++queue) add_holders(queue);
  add_quotas();
}

void SharedQuota::add_holders(size_t queue) {
  for (size_t i = 0; i < short_of_.size(); ++i)
    for (Holder& holder :
         holders_in_queue(facts_, queues_[queue], short_of_[i].flavor, short_of_[i].amounts.resource)) {
      auto known = std::ranges::find_if(
          holdings_, [&](const Holding& one) { return key_of(one.holder) == key_of(holder); });
      const int64_t amount = holder.amount;
      if (queue > 0) holder.queue = queues_[queue];
      if (known == holdings_.end())
        known =
            holdings_.insert(known, {std::move(holder), queue, std::vector<int64_t>(short_of_.size(), 0)});
      known->amounts[i] = amount;
    }
}

void SharedQuota::add_quotas() {
  if (!facts_.cluster_queue || !facts_.workloads) return;
  std::vector<Json> queues = facts_.cohort.value_or(std::vector<Json>{*facts_.cluster_queue});
  std::stable_partition(queues.begin(), queues.end(),
                        [&](const Json& one) { return api::name_of(one) == queues_[0]; });
  for (Json& queue : queues)
    queue = with_reservations(std::move(queue), *facts_.workloads, [](const Json&) { return true; });
  for (const FlavorShortfall& one : short_of_) {
    std::vector<CellQuota>& quotas = quotas_.emplace_back();
    for (const Json& queue : queues)
      quotas.push_back(cell_quota_of(queue, {one.flavor, one.amounts.resource}));
  }
  is_exact_ = facts_.cohort.has_value();
  for (size_t i = 0; i < short_of_.size(); ++i)
    is_exact_ = is_exact_ && short_of_[i].amounts.asked - free_without(i, {}) == short_of_[i].amounts.missing;
}

std::vector<CellQuota> SharedQuota::without(size_t resource, const Chosen& ended) const {
  std::vector<CellQuota> quotas = quotas_[resource];
  for (const Holding* one : ended) quotas[one->queue].used -= one->amounts[resource];
  return quotas;
}

int64_t SharedQuota::free_without(size_t resource, const Chosen& ended) const {
  const std::vector<CellQuota> quotas = without(resource, ended);
  return cell_room(quotas[0], quotas).free;
}

int64_t SharedQuota::freed(size_t resource, const Chosen& ended) const {
  int64_t sum = 0;
  for (const Holding* one : ended) sum += one->amounts[resource];
  return sum;
}

/// What a job in the Workload's own queue frees is always free for the Workload. What a job in another queue
/// frees may not be.
bool SharedQuota::is_enough(const Chosen& ended) const {
  for (size_t i = 0; i < short_of_.size(); ++i) {
    const Shortfall& amounts = short_of_[i].amounts;
    if (is_exact_ ? free_without(i, ended) < amounts.asked : freed(i, ended) < amounts.missing) return false;
  }
  return true;
}

bool SharedQuota::frees_any(const Holding& one) const {
  if (one.queue == 0 || !is_exact_) return true;
  for (size_t i = 0; i < short_of_.size(); ++i)
    if (free_without(i, {&one}) > free_without(i, {})) return true;
  return false;
}

std::vector<Holder> SharedQuota::holders() const {
  std::vector<Holder> found;
  for (const Holding& one : holdings_)
    if (one.amounts[0] > 0 && frees_any(one)) found.push_back(one.holder);
  std::ranges::stable_sort(found, std::ranges::greater(), &Holder::amount);
  return found;
}

/// Whether the Workload would use more than the nominal quota of its own queue. True if that is unknown.
bool SharedQuota::borrows_without(const Chosen& ended) const {
  if (quotas_.empty()) return true;
  for (size_t i = 0; i < short_of_.size(); ++i)
    if (const CellQuota own = without(i, ended)[0]; own.used + short_of_[i].amounts.asked > own.nominal)
      return true;
  return false;
}

/// Whether Kueue could try another waiting Workload first, which would take the freed quota. In a cohort,
/// Kueue prefers Workloads that do not borrow and, with fair sharing, those of queues with a smaller share,
/// whatever their priorities (pkg/scheduler/scheduler.go).
bool SharedQuota::another_is_first(const Chosen& ended) const {
  const bool shares = !facts_.cluster_queue || !cohort_of(*facts_.cluster_queue).empty();
  const bool has_shares = facts_.cluster_queue && find(*facts_.cluster_queue, {"status", "fairSharing"});
  const bool comes_late = shares && (has_shares || borrows_without(ended));
  return std::ranges::any_of(*facts_.workloads, [&](const Json& other) {
    if (api::uid_of(other) == api::uid_of(workload_) || !waits_for_quota(other)) return false;
    const std::string place = cluster_queue_of_workload(facts_, other);
    const bool is_near = place.empty() || place == queues_[0];
    const bool may_share = shares && (!facts_.cohort || std::ranges::find(queues_, place) != queues_.end());
    if (!is_near && !may_share) return false;
    return may_be_admitted(other) && (is_before_in_queue(other, workload_) || (!is_near && comes_late));
  });
}

/// The jobs that kml can cancel. The largest are enough, because only small sets of jobs are proposed.
std::vector<const SharedQuota::Holding*> SharedQuota::candidates() const {
  constexpr size_t kMostTried = 100;
  std::vector<const Holding*> found;
  for (const Holding& one : holdings_)
    if (one.holder.kind != "Pod" && one.holder.kind != "Workload" && (one.queue == 0 || is_exact_))
      found.push_back(&one);
  std::ranges::stable_sort(found, std::ranges::greater(), [](const Holding* one) { return one->amounts[0]; });
  found.resize(std::min(found.size(), kMostTried));
  return found;
}

std::vector<Holder> SharedQuota::fewest_to_free() const {
  constexpr size_t kMost = 3;
  const std::vector<const Holding*> all = candidates();
  Chosen chosen, best;
  const auto choose = [&](const auto& self, size_t from, size_t count) -> void {
    if (count == 0) {
      if (is_enough(chosen) && (best.empty() || freed(0, chosen) < freed(0, best))) best = chosen;
      return;
    }
    for (size_t i = from; i < all.size(); ++i) {
      chosen.push_back(all[i]);
      self(self, i + 1, count - 1);
      chosen.pop_back();
    }
  };
  for (size_t count = 1; count <= kMost && best.empty(); ++count) choose(choose, 0, count);
  std::vector<Holder> holders;
  if (best.empty() || another_is_first(best)) return holders;
  for (const Holding* one : best) holders.emplace_back(one->holder).amount = one->amounts[0];
  return holders;
}

}  // namespace kml::job
