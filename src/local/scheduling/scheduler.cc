// Each pass examines the first pod of each shape, ordered by priority and age. If that pod cannot start, no
// other pod with the same requests can. Resources that a preemption will free are reserved for the preemptor;
// otherwise smaller pods behind it would take them piece by piece. Gangs are started as a whole,
// because a training job that has only partly started would hold GPUs and wait forever.

#include "local/scheduling/scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "kml/base/text.h"
#include "kml/kube/objects/pod_fit.h"

namespace kml::local {

namespace {

using api::add;
using api::Amounts;
using api::shortages;
using api::subtract;

std::string no_node(const std::vector<std::string>& reasons) {
  std::string text = "0/1 nodes are available: ";
  for (size_t i = 0; i < reasons.size(); ++i) text += (i ? ", 1 " : "1 ") + reasons[i];
  return text + ".";
}

/// The text that kube-scheduler adds for a pod that would not fit even if nothing ran on the node. From this
/// text, commands that do not read the node conclude that the pod never starts.
constexpr std::string_view kNeverFits =
    " preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";

std::string shape_of(const PodRequest& pod) {
  std::string shape = fmt::format("{} {} ", pod.gang_size, pod.may_preempt);
  for (const auto& [name, amount] : pod.resources) shape += fmt::format("{}={} ", name, amount);
  return shape + pod.placement.dump();
}

}  // namespace

bool WaitingOrder::operator<(const WaitingOrder& other) const {
  const auto first = std::tie(created, submitted), second = std::tie(other.created, other.submitted);
  if (first != second) return first < second;
  if (natural_less(job, other.job) || natural_less(other.job, job)) return natural_less(job, other.job);
  return std::tie(job, arrival) < std::tie(other.job, other.arrival);
}

void Scheduler::add_pending(PodRequest pod) {
  const std::string uid = pod.uid;
  if (pending_.contains(uid) || running_.contains(uid)) return;
  Pending entry{std::move(pod), {}, {}};
  entry.shape = shape_of(entry.pod);
  queues_[entry.shape].emplace(Age{entry.pod.priority, entry.pod.order}, uid);
  if (!entry.pod.gang.empty()) gangs_[entry.pod.gang].insert(uid);
  fresh_.insert(uid);
  pending_.emplace(uid, std::move(entry));
}

void Scheduler::add_running(const PodRequest& pod) {
  if (running_.contains(pod.uid)) return;
  add(used_, pod.resources);
  if (!pod.gang.empty()) gangs_[pod.gang].insert(pod.uid);
  running_.emplace(pod.uid, Running{pod});
}

void Scheduler::set_terminating(const std::string& uid) {
  if (auto it = running_.find(uid); it != running_.end()) it->second.terminating = true;
}

void Scheduler::remove(const std::string& uid) {
  std::string gang;
  if (auto it = pending_.find(uid); it != pending_.end()) {
    auto queue = queues_.find(it->second.shape);
    queue->second.erase(Age{it->second.pod.priority, it->second.pod.order});
    if (queue->second.empty()) queues_.erase(queue);
    gang = it->second.pod.gang;
    pending_.erase(it);
    fresh_.erase(uid);
  } else if (auto found = running_.find(uid); found != running_.end()) {
    subtract(used_, found->second.pod.resources);
    gang = found->second.pod.gang;
    running_.erase(found);
  }
  if (auto it = gangs_.find(gang); it != gangs_.end()) {
    it->second.erase(uid);
    if (it->second.empty()) gangs_.erase(it);
  }
}

Scheduler::Unit Scheduler::unit_of(const PodRequest& pod) const {
  if (pod.gang.empty()) return {pod.uid};
  const std::set<std::string>& members = gangs_.at(pod.gang);
  Unit unit;
  size_t present = 0, running = 0;
  // If some of the gang's pods have already succeeded, a replacement pod belongs to the rest of the gang,
  // which is smaller.
  size_t size = pod.gang_size;
  for (const std::string& uid : members)
    if (auto it = pending_.find(uid); it != pending_.end()) {
      unit.push_back(uid);
      size = std::min(size, it->second.pod.gang_size);
      ++present;
    } else if (!running_.at(uid).terminating) {
      ++present;
      ++running;
    }
  if (present < size) return {};
  if (!pod.is_gang_size_minimum) return unit;
  std::sort(unit.begin(), unit.end(), [&](const std::string& a, const std::string& b) {
    const PodRequest &first = pending_.at(a).pod, &second = pending_.at(b).pod;
    return std::tuple(a != pod.uid, first.order) < std::tuple(b != pod.uid, second.order);
  });
  unit.resize(running < size ? size - running : 1);
  return unit;
}

Amounts Scheduler::sum_of(const Unit& pending) const {
  Amounts sum;
  for (const std::string& uid : pending) add(sum, pending_.at(uid).pod.resources);
  return sum;
}

void Scheduler::start(const Unit& unit, Decision& decision) {
  for (const std::string& uid : unit) {
    PodRequest pod = pending_.at(uid).pod;
    remove(uid);
    add_running(pod);
    decision.start.push_back(uid);
  }
}

void Scheduler::answer(const std::string& uid, const std::string& message, Decision& decision) {
  fresh_.erase(uid);
  std::string& last = pending_.at(uid).answer;
  if (last == message) return;
  last = message;
  decision.unschedulable.push_back({uid, message});
}

bool Scheduler::runs_below(int priority) const {
  return std::ranges::any_of(running_, [&](const auto& one) { return one.second.pod.priority < priority; });
}

Scheduler::Uids Scheduler::find_ending(const IsEnding& is_ending) const {
  Uids ending;
  for (const auto& [uid, running] : running_)
    if (!running.terminating && is_ending && is_ending(uid)) ending.insert(uid);
  return ending;
}

std::vector<Scheduler::Victim> Scheduler::find_victims(int priority, const Amounts& missing,
                                                       const Uids& ending) const {
  std::map<std::string, Victim> units;  // the key is the gang, or the uid of a pod that belongs to no gang
  for (const auto& [uid, running] : running_) {
    if (running.terminating || ending.contains(uid)) continue;
    const PodRequest& pod = running.pod;
    Victim& victim = units
                         .try_emplace(pod.gang.empty() || !pod.ends_with_gang ? uid : pod.gang,
                                      Victim{{}, pod.priority, pod.order, {}})
                         .first->second;
    victim.pods.push_back(uid);
    victim.priority = std::max(victim.priority, pod.priority);
    victim.order = std::min(victim.order, pod.order);
    add(victim.resources, pod.resources);
  }
  // Sorts the least important pods first: those with the lowest priority, and of these the youngest.
  std::vector<Victim> candidates;
  for (auto& [key, victim] : units)
    if (victim.priority < priority) candidates.push_back(std::move(victim));
  std::sort(candidates.begin(), candidates.end(), [](const Victim& a, const Victim& b) {
    return a.priority != b.priority ? a.priority < b.priority : b.order < a.order;
  });
  for (const Victim& candidate : candidates)
    if (shortages(missing, candidate.resources).empty()) return {candidate};

  std::vector<Victim> victims;
  Amounts room;
  for (const Victim& candidate : candidates) {
    if (shortages(missing, room).empty()) break;
    victims.push_back(candidate);
    add(room, candidate.resources);
  }
  if (!shortages(missing, room).empty()) return {};
  // Removes victims that turn out to be unnecessary, starting with the most important one.
  for (size_t i = victims.size(); i-- > 0;) {
    Amounts without = room;
    subtract(without, victims[i].resources);
    if (!shortages(missing, without).empty()) continue;
    room = without;
    victims.erase(victims.begin() + static_cast<ptrdiff_t>(i));
  }
  return victims;
}

Decision Scheduler::schedule(const IsEnding& is_ending) {
  Decision decision;
  std::map<Age, std::string> heads;  // the next pod of each shape
  for (const auto& [shape, queue] : queues_) heads.emplace(queue.begin()->first, shape);
  std::map<std::string, std::string> blocked;  // shapes that cannot start now, with the reasons
  std::set<std::string> partial_gangs;         // incomplete gangs, each of which is examined only once
  Amounts free = node_.allocatable, freed_later;
  subtract(free, used_);
  for (const auto& [uid, running] : running_)
    if (running.terminating) add(freed_later, running.pod.resources);
  // It takes long to find out which pods are ending, and this only matters if a pod may preempt others.
  std::optional<Uids> ending;

  while (!heads.empty()) {
    const auto [age, shape] = *heads.begin();
    heads.erase(heads.begin());
    ++decision.looks;
    auto advance = [&, after = age, of = shape] {
      auto queue = queues_.find(of);
      if (queue == queues_.end()) return;
      if (auto next = queue->second.upper_bound(after); next != queue->second.end())
        heads.emplace(next->first, of);
    };
    const auto queue = queues_.find(shape);
    if (queue == queues_.end()) continue;
    // The pod may already have been started together with its gang.
    const auto head = queue->second.find(age);
    if (head == queue->second.end()) {
      advance();
      continue;
    }
    Pending& pending = pending_.at(head->second);
    const std::string uid = pending.pod.uid;
    const std::string& gang = pending.pod.gang;
    const Unit unit = partial_gangs.contains(gang) ? Unit{} : unit_of(pending.pod);
    if (unit.empty()) {
      partial_gangs.insert(gang);
      answer(uid,
             fmt::format("waiting until all {} pods that must start together exist", pending.pod.gang_size),
             decision);
      advance();
      continue;
    }
    std::string problem;
    for (size_t i = 0; i < unit.size() && problem.empty(); ++i)
      problem = api::unsuitable_because(node_.node, pending_.at(unit[i]).pod.placement);
    if (!problem.empty()) {
      answer(uid, blocked[shape] = no_node({problem}), decision);
      continue;
    }
    const Amounts needed = sum_of(unit);
    const std::vector<std::string> missing = shortages(needed, free);
    if (missing.empty()) {
      subtract(free, needed);
      start(unit, decision);
      advance();
      continue;
    }
    const bool may_preempt = pending.pod.may_preempt && runs_below(pending.pod.priority);
    if (may_preempt && !ending) {
      ending = find_ending(is_ending);
      for (const std::string& one : *ending) add(freed_later, running_.at(one).pod.resources);
    }
    Amounts soon = free;
    add(soon, freed_later);
    bool waits_for_victims = pending.pod.nominated && shortages(needed, soon).empty();
    if (!waits_for_victims && may_preempt && shortages(needed, soon).empty()) {
      waits_for_victims = true;  // for those of another preemption, or for pods that are ending anyway
    } else if (!waits_for_victims && may_preempt) {
      Amounts lacking = needed;
      for (auto& [name, amount] : lacking) amount = std::max<int64_t>(0, amount - soon[name]);
      for (const Victim& victim : find_victims(pending.pod.priority, lacking, *ending)) {
        waits_for_victims = true;
        for (const std::string& pod : victim.pods) {
          decision.preempt.push_back({pod, uid});
          running_.at(pod).terminating = true;
          add(freed_later, running_.at(pod).pod.resources);
        }
      }
    }
    if (waits_for_victims) {
      // Reserves the free resources and those that the victims will free. Pods behind this one must not use
      // them.
      subtract(free, needed);
      for (const std::string& member : unit) pending_.at(member).pod.nominated = true;
    } else {
      // Another pod has taken what the victims freed.
      for (const std::string& member : unit)
        if (std::exchange(pending_.at(member).pod.nominated, false))
          decision.no_longer_nominated.push_back(member);
    }
    const bool never_fits = !shortages(needed, node_.allocatable).empty();
    const std::string message = no_node(missing).append(never_fits ? kNeverFits : "");
    for (const std::string& member : unit) answer(member, message, decision);
    // If this gang is incomplete or waits for its victims, other pods of the same shape may still be able to
    // start.
    if (waits_for_victims || unit.size() != pending.pod.gang_size)
      advance();
    else
      blocked[shape] = message;
  }
  const std::set<std::string> fresh = fresh_;
  for (const std::string& uid : fresh)
    if (auto it = blocked.find(pending_.at(uid).shape); it != blocked.end())
      answer(uid, it->second, decision);
  return decision;
}

}  // namespace kml::local
