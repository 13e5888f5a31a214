#include "job/why/start_order.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "job/capacity/node_rules.h"
#include "job/why/causes.h"
#include "kml/base/text.h"
#include "kml/job/views/ownership.h"
#include "kml/job/views/pod_view.h"
#include "kml/job/views/task.h"
#include "kml/kube/objects/gang.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

/// The scheduler's last message about the pod.
SchedulerMessage said_of(const Json& pod) {
  const api::Condition scheduled = api::condition(pod, "PodScheduled");
  return parse_scheduler_message(scheduled.is_false() ? scheduled.message() : "");
}

/// Whether the scheduler reports a reason that does not depend only on the nodes and the requests.
bool names_other_reason(const Json& pod) {
  const SchedulerMessage said = said_of(pod);
  return !said.reasons.empty() && !nodes_tell(said);
}

/// Whether the pod lacks something that the end of other pods cannot provide, such as a volume claim that
/// does not exist.
bool never_starts(const Json& pod) {
  const api::Condition scheduled = api::condition(pod, "PodScheduled");
  return scheduled.is_false() &&
         cause_of_scheduler_message(pod, scheduled.message()).outlook == Outlook::never;
}

/// Whether no node could take the pod, even if nothing else ran there.
bool suits_no_node(const std::vector<Room>& rooms, const Json& spec) {
  const Obstacle obstacle = choose(rooms, spec, api::pod_requests(spec)).obstacle;
  return obstacle == Obstacle::no_nodes || obstacle == Obstacle::labels || obstacle == Obstacle::too_large ||
         obstacle == Obstacle::taint;
}

/// Whether the pod lacks a volume. The end of another job would not change that.
bool lacks_volume(const Json& pod) {
  const SchedulerMessage said = said_of(pod);
  return std::any_of(said.reasons.begin(), said.reasons.end(), [](const SchedulerMessage::Reason& reason) {
    return reason.kind == SchedulerMessage::Kind::volume && reason.nodes == 0;
  });
}

bool fits_in(const std::vector<int64_t>& needs, const std::vector<int64_t>& free) {
  for (size_t i = 0; i < needs.size(); ++i)
    if (needs[i] > std::max<int64_t>(free[i], 0)) return false;
  return true;
}

/// Whether the pod has reached its time limit, which `kml cancel` sets to stop it.
bool is_being_cancelled(const Facts& facts, const Json& pod) {
  const auto started = api::started_at(pod);
  const long long limit = api::deadline_in(api::spec_of(pod));
  return started && limit > 0 && *started + std::chrono::seconds(limit) <= facts.now;
}

/// Whether the name is that of a task of the job's array.
bool is_task_of(const Facts& facts, const Holder& holder) {
  return facts.is_task && holder.namespace_name == api::namespace_of(facts.job) &&
         holder.name.starts_with(api::name_of(facts.job) + "-");
}

/// The pod's job. If the user asks about a single task, the other tasks of the array are treated as separate
/// jobs.
Holder waiting_job_of(const Facts& facts, const Json& pod) {
  Holder job = holder_of_pod(pod);
  job.priority = api::priority_of(pod);
  if (!facts.is_task || !is_own_pod(facts, pod)) return job;
  // A pod from a brief list has no label with its index.
  const std::string rest = api::name_of(pod).substr(std::min(job.name.size() + 1, api::name_of(pod).size()));
  const auto index = whole_number(rest.substr(0, rest.find('-')));
  const auto numbers = task_numbers(api::pod_template_of(facts.job));
  const auto task = numbers && index ? numbers->at(static_cast<int>(*index)) : index;
  if (task) job.name += "-" + std::to_string(*task);
  return job;
}

}  // namespace

void StartOrder::shift(Needs& amounts, const Needs& more, int64_t sign) {
  for (size_t i = 0; i < more.size(); ++i) amounts[i] += sign * more[i];
}

StartOrder::StartOrder(const Facts& facts, const std::vector<const Json*>& own,
                       const std::vector<Room>& rooms)
    : facts_(facts), rooms_(rooms) {
  if (!facts.active_pods) return;
  add_resources(own);
  for (const Room& room : rooms_) free_.push_back(needs_of(room.total));
  add_waiters(own);
  add_candidates();
  is_decided_ = is_decided_by_room(own);
  start_what_fits();
}

/// Only resources that a waiting pod requests are relevant.
void StartOrder::add_resources(const std::vector<const Json*>& specs) {
  const auto add = [&](const Json& spec) {
    for (const auto& [name, amount] : api::pod_requests(spec))
      resources_.try_emplace(name, resources_.size());
  };
  for (const Json* spec : specs) add(*spec);
  for (const Json& pod : *facts_.active_pods)
    if (waits_for_node(pod)) add(api::spec_of(pod));
}

StartOrder::Needs StartOrder::needs_of(const api::Amounts& amounts) const {
  Needs needs(resources_.size());
  for (const auto& [name, amount] : amounts)
    if (const auto known = resources_.find(name); known != resources_.end()) needs[known->second] = amount;
  return needs;
}

size_t StartOrder::shape_of(const Json& spec) {
  std::string key;
  for (const char* part : {"nodeSelector", "affinity", "tolerations"})
    if (const Json* value = find(spec, {part})) key += value->dump();
  Needs needs = needs_of(api::pod_requests(spec));
  for (const int64_t amount : needs) key += " " + std::to_string(amount);
  const auto [known, is_new] = shape_index_.try_emplace(key, shapes_.size());
  if (!is_new) return known->second;
  std::vector<bool> suits;
  for (const Room& room : rooms_) suits.push_back(refusal_of_node(*room.node, spec).empty());
  shapes_.push_back({std::move(needs), std::move(suits), suits_no_node(rooms_, spec)});
  return known->second;
}

void StartOrder::add_waiters(const std::vector<const Json*>& own) {
  std::map<JobKey, std::string> submitted;
  for (const Json& job : facts_.other_jobs.value_or(std::vector<Json>()))
    submitted[{api::namespace_of(job), api::kind_name(job), api::name_of(job)}] =
        api::annotation_of(job, api::kSubmitted);
  std::map<JobKey, Waiter> waiters;
  std::set<std::string> own_uids;
  for (const Json* pod : facts_.pods) own_uids.insert(api::uid_of(*pod));
  const auto add = [&](const Json& pod, bool is_own) {
    const Holder job = waiting_job_of(facts_, pod);
    const auto [found, is_new] = waiters.try_emplace(key_of(job), Waiter{job, {}, {}});
    Waiter& waiter = found->second;
    const std::string created = api::creation_text(pod);
    if (is_new || created < waiter.created) waiter.created = created;
    waiter.is_own = is_own;
    waiter.has_other_reason |= names_other_reason(pod);
    waiter.is_blocked |= lacks_volume(pod);
    const std::string size = api::annotation_of(pod, api::kGangSize);
    waiter.is_gang |= !size.empty() || tells_of_native_gang(pod);
    waiter.gang_size = std::max(waiter.gang_size, static_cast<size_t>(whole_number(size).value_or(0)));
    waiter.may_preempt = api::may_preempt(api::spec_of(pod)) && !never_preempts(api::priority_of(pod));
    if (is_own) return;
    waiter.shapes.push_back(shape_of(api::spec_of(pod)));
    waiter.cannot_start |= shapes_[waiter.shapes.back()].never_fits || never_starts(pod);
  };
  for (const Json* pod : facts_.pods)
    if (waits_for_node(*pod)) add(*pod, true);
  if (waiters.empty()) {  // the job's pods do not exist yet
    const Holder job{api::kind_name(facts_.job), api::namespace_of(facts_.job), api::name_of(facts_.job)};
    Waiter& waiter = waiters.try_emplace(key_of(job), Waiter{job, rfc3339(facts_.now), {}}).first->second;
    waiter.is_own = true;
    if (!own.empty()) waiter.job.priority = api::priority_of(Json{{"spec", *own[0]}});
  }
  std::map<JobKey, size_t> present;
  for (const Json& pod : *facts_.active_pods) {
    if (!api::is_being_deleted(pod) && !api::pod_has_ended(pod)) ++present[key_of(holder_of_pod(pod))];
    const bool is_other = facts_.is_task ? !own_uids.contains(api::uid_of(pod)) : !is_own_pod(facts_, pod);
    if (waits_for_node(pod) && is_other) add(pod, false);
  }
  for (auto& [key, waiter] : waiters) {
    if (const auto known = submitted.find(key); known != submitted.end()) waiter.submitted = known->second;
    if (waiter.is_own || is_task_of(facts_, waiter.job))
      waiter.submitted = api::annotation_of(facts_.job, api::kSubmitted);
    waiter.is_blocked |= waiter.is_gang && present[key] < waiter.gang_size;
    if (waiter.is_own)
      for (const Json* spec : own) waiter.shapes.push_back(shape_of(*spec));
    waiters_.push_back(std::move(waiter));
  }
  const auto order = [](const Waiter& waiter) {
    return std::tuple<long long, const std::string&, const std::string&>(-waiter.job.priority.value_or(0),
                                                                         waiter.created, waiter.submitted);
  };
  std::stable_sort(waiters_.begin(), waiters_.end(), [&](const Waiter& a, const Waiter& b) {
    const auto first = order(a), second = order(b);
    return first < second || (!(second < first) && natural_less(a.job.name, b.job.name));
  });
}

/// Whether only priority classes that do not preempt have this value. Pods from brief lists do not contain
/// their own preemption policy.
bool StartOrder::never_preempts(long long priority) const {
  bool any = false, all = true;
  for (const Json& item : facts_.priorities.value_or(std::vector<Json>()))
    if (api::priority_value_of(item) == priority) {
      any = true;
      all = all && !api::may_preempt(item);
    }
  return any && all;
}

/// Makes candidates of the jobs on the nodes, and subtracts their requests. Skips pods that are stopping.
void StartOrder::add_candidates() {
  std::map<JobKey, size_t> index;
  for (size_t node = 0; node < rooms_.size(); ++node)
    for (const Json* pod : rooms_[node].pods) {
      if (api::node_of(*pod).empty()) continue;  // room is still being made for this waiting pod
      if (is_being_cancelled(facts_, *pod)) continue;
      if (api::is_being_deleted(*pod) && !stuck_stopping_cause(facts_, *pod)) continue;
      Needs holds = needs_of(api::pod_requests(api::spec_of(*pod)));
      shift(free_[node], holds, -1);
      const Holder job = holder_of_pod(*pod);
      if (!api::is_being_deleted(*pod))
        victims_.push_back({node, api::priority_of(*pod), key_of(job), holds});
      if (job.kind == "Pod" || is_own_pod(facts_, *pod) || api::is_being_deleted(*pod)) continue;
      const auto [known, is_new] = index.try_emplace(key_of(job), candidates_.size());
      if (is_new) candidates_.push_back({job});
      candidates_[known->second].pods.emplace_back(node, std::move(holds));
    }
}

/// Whether only free resources decide when the job starts. Rules about other pods, ports and volumes are not
/// simulated.
bool StartOrder::is_decided_by_room(const std::vector<const Json*>& own) const {
  for (const Json* pod : facts_.pods)
    if (waits_for_node(*pod) && names_other_reason(*pod)) return false;
  const auto has_pod_rule = [](const Json& spec, const char* rule) {
    return !array_at(spec, {"affinity", rule, "requiredDuringSchedulingIgnoredDuringExecution"}).empty();
  };
  for (const Json* spec : own) {
    if (has_pod_rule(*spec, "podAffinity") || has_pod_rule(*spec, "podAntiAffinity")) return false;
    for (const Json& spread : array_at(*spec, {"topologySpreadConstraints"}))
      if (string_at(spread, {"whenUnsatisfiable"}) != "ScheduleAnyway") return false;
    for (const Json& container : api::containers_in(*spec))
      for (const Json& port : array_at(container, {"ports"}))
        if (int_at(port, {"hostPort"}) != 0) return false;
    for (const Json& volume : array_at(*spec, {"volumes"}))
      if (rooms_.size() > 1 && find(volume, {"persistentVolumeClaim"})) return false;
  }
  for (const Room& room : rooms_)
    for (const Json* pod : room.pods)
      if (has_pod_rule(api::spec_of(*pod), "podAntiAffinity")) return false;
  return true;
}

bool StartOrder::place(const std::vector<size_t>& shapes, Free& free, bool spreads) const {
  Free left = free;
  for (const size_t shape : shapes) {
    const Shape& wanted = shapes_[shape];
    std::optional<size_t> best;
    for (size_t node = 0; node < left.size(); ++node)
      if (wanted.suits[node] && fits_in(wanted.needs, left[node]) &&
          (!best || (spreads ? left[node] > left[*best] : left[node] < left[*best])))
        best = node;
    if (!best) return false;
    shift(left[*best], wanted.needs, -1);
  }
  free = std::move(left);
  return true;
}

/// Whether the waiting job could take resources on one of these nodes.
bool StartOrder::fits_on(const Waiter& waiter, const Free& free, const std::set<size_t>& nodes) const {
  if (waiter.is_gang) {
    Free left = free;
    return !waiter.shapes.empty() && place(waiter.shapes, left, true);
  }
  return std::any_of(waiter.shapes.begin(), waiter.shapes.end(), [&](size_t shape) {
    return std::any_of(nodes.begin(), nodes.end(), [&](size_t node) {
      return shapes_[shape].suits[node] && fits_in(shapes_[shape].needs, free[node]);
    });
  });
}

/// Places the waiting pods that fit now, or will fit when stopping pods have stopped.
void StartOrder::start_what_fits() {
  for (Waiter& waiter : waiters_) {
    if (waiter.has_other_reason || waiter.is_blocked) continue;
    if (waiter.is_gang) {
      if (place(waiter.shapes, free_, true)) waiter.shapes.clear();
    } else {
      std::erase_if(waiter.shapes, [&](size_t shape) { return place({shape}, free_, true); });
    }
    if (waiter.is_own && waiter.shapes.empty()) starts_by_itself_ = is_decided_;
    // If the job could preempt now, it would already have done so, so something else prevents it.
    const Free preempted = free_by_preemption(waiter, {free_});
    if (waiter.is_own && !preempted.empty() && places_own(waiter, preempted)) waiter.may_preempt = false;
  }
}

std::vector<Holder> StartOrder::ahead() const {
  std::vector<Holder> jobs;
  for (const Waiter& waiter : waiters_) {
    if (waiter.is_own) break;
    if (!waiter.cannot_start) jobs.push_back(waiter.job);
  }
  return jobs;
}

size_t StartOrder::size() const {
  return static_cast<size_t>(std::count_if(waiters_.begin(), waiters_.end(),
                                           [](const Waiter& waiter) { return !waiter.cannot_start; }));
}

}  // namespace kml::job
