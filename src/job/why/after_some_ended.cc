#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "job/why/start_order.h"
#include "kml/base/json.h"

namespace kml::job {

bool StartOrder::places_own(const Waiter& own, const Free& free) const {
  Free spread = free, packed = free;
  return place(own.shapes, spread, true) && place(own.shapes, packed, false);
}

StartOrder::Free StartOrder::free_by_preemption(const Waiter& waiter, const Moment& moment) const {
  if (!waiter.may_preempt) return {};
  const long long priority = waiter.job.priority.value_or(0);
  Free free;
  const auto preempt = [&](size_t node, const Needs& holds) {
    if (free.empty()) free = moment.free;
    shift(free[node], holds, +1);
  };
  for (const Victim& victim : victims_)
    if (victim.priority < priority && !moment.gone.contains(victim.job)) preempt(victim.node, victim.holds);
  for (const auto& [candidate, pod] : moment.left)
    if (candidate->job.priority.value_or(0) < priority)
      preempt(candidate->pods[pod].first, candidate->pods[pod].second);
  return free;
}

/// Whether another waiting job could take some of what the ended jobs have freed.
bool StartOrder::can_take(const Waiter& waiter, const Moment& moment) const {
  if (fits_on(waiter, moment.free, moment.nodes)) return true;
  const Free free = free_by_preemption(waiter, moment);
  return !free.empty() && fits_on(waiter, free, moment.nodes);
}

/// The jobs that the scheduler would start next.
StartOrder::Next StartOrder::next_at(const Moment& moment) const {
  for (const Waiter& waiter : waiters_) {
    if (waiter.is_blocked || moment.gone.contains(key_of(waiter.job))) continue;
    if (!waiter.is_own) {
      if (can_take(waiter, moment)) return Next::other;
      continue;
    }
    if (places_own(waiter, moment.free)) return Next::own;
    const Free free = free_by_preemption(waiter, moment);
    if (!free.empty() && places_own(waiter, free)) return Next::own;
  }
  return Next::none;
}

StartOrder::Moment StartOrder::moment_after(const std::vector<const Candidate*>& ended) const {
  Moment moment{free_};
  for (const Candidate* candidate : ended) {
    moment.gone.insert(key_of(candidate->job));
    for (const auto& [node, holds] : candidate->pods) {
      shift(moment.free[node], holds, +1);
      moment.nodes.insert(node);
    }
  }
  return moment;
}

/// Whether this job starts first, whatever the order of ends. Jobs are cancelled one after another, and their
/// pods end in any order, so no other job may fit at any moment before this one does.
bool StartOrder::starts_first(const std::vector<const Candidate*>& ended) const {
  constexpr size_t kFewPods = 8;
  const Moment last = moment_after(ended);
  if (next_at(last) != Next::own) return false;
  std::vector<std::pair<const Candidate*, size_t>> pods;
  for (const Candidate* candidate : ended)
    for (size_t i = 0; i < candidate->pods.size(); ++i) pods.emplace_back(candidate, i);
  const auto next_without = [&](const auto& is_left) {
    Moment moment = last;
    for (size_t i = 0; i < pods.size(); ++i) {
      if (!is_left(i)) continue;
      const auto& [node, holds] = pods[i].first->pods[pods[i].second];
      shift(moment.free[node], holds, -1);
      moment.left.push_back(pods[i]);
    }
    return next_at(moment);
  };
  if (pods.size() <= kFewPods) {
    for (size_t left = 1; left + 1 < size_t{1} << pods.size(); ++left)
      if (next_without([&](size_t i) { return (left >> i & 1) != 0; }) == Next::other) return false;
    return true;
  }
  for (size_t still = 0; still < pods.size(); ++still)
    if (next_without([&](size_t i) { return i == still; }) != Next::none) return false;
  return true;
}

std::vector<Holder> StartOrder::rivals_without(const std::vector<const Candidate*>& ended) const {
  if (std::ranges::all_of(rooms_, is_embedded)) return {};  // where waiting jobs always start in order
  const Moment moment = moment_after(ended);
  std::vector<Holder> rivals;
  for (const Waiter& waiter : waiters_)
    if (!waiter.is_own && !waiter.is_blocked && !moment.gone.contains(key_of(waiter.job)) &&
        can_take(waiter, moment))
      rivals.push_back(waiter.job);
  return rivals;
}

bool StartOrder::preempts_without(const std::vector<const Candidate*>& ended) const {
  const Moment moment = moment_after(ended);
  return std::ranges::any_of(
      waiters_, [&](const Waiter& waiter) { return waiter.is_own && !places_own(waiter, moment.free); });
}

std::vector<const StartOrder::Candidate*> StartOrder::candidates_of(const std::vector<Holder>& jobs) const {
  std::set<JobKey> keys;
  for (const Holder& job : jobs) keys.insert(key_of(job));
  std::vector<const Candidate*> found;
  for (const Candidate& candidate : candidates_)
    if (keys.contains(key_of(candidate.job))) found.push_back(&candidate);
  return found;
}

std::vector<Holder> StartOrder::rivals(const std::vector<Holder>& ended) const {
  return rivals_without(candidates_of(ended));
}

bool StartOrder::preempts_after(const std::vector<Holder>& ended) const {
  return preempts_without(candidates_of(ended));
}

}  // namespace kml::job
