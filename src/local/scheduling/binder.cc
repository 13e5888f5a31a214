#include "local/scheduling/binder.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/pod_fit.h"
#include "local/scheduling/gang.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

constexpr const char* kComponent = "default-scheduler";

std::set<int> slots_from(const std::string& text) {
  std::set<int> slots;
  if (text.empty()) return slots;
  for (const std::string& slot : split(text, ',')) slots.insert(std::atoi(slot.c_str()));
  return slots;
}

Json placement_of(const Json& pod) {
  const Json& spec = api::spec_of(pod);
  Json placement = Json::object();
  set_said(placement,
           {{"nodeSelector", api::node_selector_in(spec)}, {"tolerations", api::tolerations_in(spec)}});
  const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  if (const Json* affinity = find(spec, {"affinity", "nodeAffinity", kRequired}))
    placement["affinity"] = {{"nodeAffinity", {{kRequired, *affinity}}}};
  return placement;
}

/// The name of the preemptor's job, or of the pod itself if it has no job.
std::string preemptor_name(const Json& preemptor, const Json& victim) {
  std::string name = "pod " + name_of(preemptor);
  if (const Json* owner = api::controller_of(preemptor)) name = api::entry_name(*owner);
  return namespace_of(preemptor) == namespace_of(victim) ? name : namespace_of(preemptor) + "/" + name;
}

/// Whether the kubelet stops the pod because its time is up.
bool is_past_deadline(const Json& pod, Time now) {
  const long long limit = api::deadline_in(api::spec_of(pod));
  const std::optional<Time> started = parse_rfc3339(string_at(pod, {"status", "startTime"}));
  return limit > 0 && started && *started + std::chrono::seconds(limit) <= now;
}

/// Whether the job's controller ends the job's pods, or lets them end.
bool ends_its_pods(const Json& job) {
  if (!annotation_of(job, api::kCancelled).empty() || api::is_suspended(job)) return true;
  if (is_being_deleted(job)) return !has_finalizer(job, "orphan");
  return api::condition_is_true(job, "FailureTarget") || api::condition_is_true(job, "SuccessCriteriaMet");
}

}  // namespace

Binder::Binder(EventLoop& loop, Store& store, EventRecorder& events, const Clock& clock,
               std::string node_name)
    : store_(store),
      events_(events),
      clock_(clock),
      node_name_(std::move(node_name)),
      queue_(loop, [this](const std::string&) { schedule(); }) {
  store.subscribe([this](const StoreEvent& event) { on_event(event); });
}

void Binder::recover() {
  if (ObjectPtr node = store_.get(kinds::node, "", node_name_)) see_node(*node);
  std::vector<ObjectPtr> pods = store_.list(kinds::pod, "");
  std::stable_sort(pods.begin(), pods.end(), [](const ObjectPtr& a, const ObjectPtr& b) {
    return api::creation_text(*a) < api::creation_text(*b);
  });
  for (const ObjectPtr& pod : pods) see_pod(*pod, false);
  queue_.add("");
}

void Binder::on_event(const StoreEvent& event) {
  if (event.kind == &kinds::node && event.change != Change::deleted && name_of(*event.object) == node_name_) {
    see_node(*event.object);
    queue_.add("");
  }
  if (event.kind == &kinds::pod_group) see_pods_of(*event.object);
  if (event.kind != &kinds::pod) return;
  see_pod(*event.object, event.change == Change::deleted);
}

void Binder::see_node(const Json& node) {
  NodeInfo info{{{"metadata", api::metadata_of(node)}, {"spec", api::spec_of(node)}},
                api::allocatable_of(node)};
  gpu_count_ = info.allocatable[std::string(kGpu)] / api::kMilli;
  scheduler_.set_node(std::move(info));
}

void Binder::see_pod(const Json& pod, bool deleted) {
  const std::string uid = uid_of(pod);
  const bool bound = !api::node_of(pod).empty();
  if (deleted || pod_has_ended(pod)) {
    if (names_.erase(uid) == 0) return;
    gpus_.erase(uid);
    scheduler_.remove(uid);
  } else if (is_being_deleted(pod)) {
    if (bound)
      scheduler_.set_terminating(uid);
    else
      scheduler_.remove(uid);
  } else if (array_at(pod, {"spec", "schedulingGates"}).empty() && !names_.contains(uid)) {
    std::optional<PodRequest> request = request_of(pod);
    if (!request) return;
    names_.emplace(uid, std::pair(namespace_of(pod), name_of(pod)));
    if (bound)
      scheduler_.add_running(*request);
    else
      scheduler_.add_pending(*std::move(request));
  } else {
    return;  // the pod must not start yet, or nothing relevant has changed
  }
  if (bound && !deleted && !pod_has_ended(pod)) gpus_[uid] = slots_from(annotation_of(pod, api::kGpuSlots));
  queue_.add("");
}

void Binder::see_pods_of(const Json& pod_group) {
  for (const ObjectPtr& pod : store_.list(kinds::pod, namespace_of(pod_group))) {
    if (pod_group_of(*pod) != name_of(pod_group) || !api::node_of(*pod).empty()) continue;
    if (names_.erase(uid_of(*pod)) > 0) scheduler_.remove(uid_of(*pod));
    see_pod(*pod, false);
  }
  queue_.add("");
}

void Binder::tell_group(const Json& pod, bool is_scheduled, const std::string& reason,
                        const std::string& message) {
  constexpr const char* kCondition = "PodGroupInitiallyScheduled";
  const ObjectPtr group = store_.get(kinds::pod_group, namespace_of(pod), pod_group_of(pod));
  // Once the group's pods have started, the condition stays, as in Kubernetes.
  if (!group || api::condition_is_true(*group, kCondition)) return;
  if (const api::Condition last = api::condition(*group, kCondition);
      last && !is_scheduled && last.message() == message)
    return;
  store_.modify(kinds::pod_group, namespace_of(pod), name_of(*group), [&](Json& next) {
    set_condition(next, kCondition, is_scheduled, reason, message, rfc3339(clock_.now()));
  });
}

WaitingOrder Binder::order_of(const Json& pod) {
  WaitingOrder order{api::creation_text(pod), "", "", ++arrivals_};
  const Json* controller = api::controller_of(pod);
  order.job = namespace_of(pod) + "/" + (controller ? api::entry_name(*controller) : name_of(pod));
  const api::ResourceKind* kind =
      controller ? api::find_kind(api::api_version_of(*controller), api::kind_name(*controller)) : nullptr;
  if (const ObjectPtr job =
          kind ? store_.get(*kind, namespace_of(pod), api::entry_name(*controller)) : nullptr)
    order.submitted = api::annotation_of(*job, api::kSubmitted);
  return order;
}

std::optional<PodRequest> Binder::request_of(const Json& pod) {
  const std::optional<Gang> gang = gang_of(pod, store_);
  // A pod that runs holds its resources, whatever has become of its PodGroup.
  if (!gang && api::node_of(pod).empty()) return {};
  PodRequest request;
  request.uid = uid_of(pod);
  request.priority = static_cast<int>(api::priority_of(pod));
  request.order = order_of(pod);
  request.resources = api::pod_requests(api::spec_of(pod));
  request.placement = placement_of(pod);
  request.may_preempt = api::may_preempt(api::spec_of(pod));
  request.nominated = !api::nominated_node_of(pod).empty();
  if (!gang) return request;
  request.gang = gang->id;
  request.gang_size = gang->size;
  request.is_gang_size_minimum = gang->is_minimum;
  request.ends_with_gang = gang->ends_together;
  return request;
}

ObjectPtr Binder::pod_of(const std::string& uid) const {
  const auto found = names_.find(uid);
  return found == names_.end() ? nullptr : store_.get(kinds::pod, found->second.first, found->second.second);
}

bool Binder::is_ending(const std::string& uid) const {
  const ObjectPtr pod = pod_of(uid);
  if (!pod) return false;
  if (!annotation_of(*pod, api::kCancelled).empty() || is_past_deadline(*pod, clock_.now())) return true;
  const Json* controller = api::controller_of(*pod);
  for (const api::ResourceKind* kind : {&kinds::job, &kinds::pytorchjob})
    if (controller && kind->kind == api::kind_name(*controller))
      if (const ObjectPtr job = store_.get(*kind, namespace_of(*pod), api::entry_name(*controller)))
        return uid_of(*job) == api::entry_uid(*controller) && ends_its_pods(*job);
  return false;
}

void Binder::schedule() {
  const Decision decision = scheduler_.schedule([this](const std::string& uid) { return is_ending(uid); });
  std::optional<Error> failure;
  for (const std::string& uid : decision.start) {
    ObjectPtr pod = pod_of(uid);
    if (!pod) continue;
    try {
      if (!failure) bind(*pod);
    } catch (const Error& error) {
      failure = error;
    }
    if (!failure) continue;
    // The binding could not be written, so the pod is pending again.
    scheduler_.remove(uid);
    if (std::optional<PodRequest> request = request_of(*pod)) scheduler_.add_pending(*std::move(request));
  }
  if (failure) throw *failure;
  for (const auto& [victim_uid, preemptor_uid] : decision.preempt) {
    ObjectPtr victim = pod_of(victim_uid), preemptor = pod_of(preemptor_uid);
    if (victim && preemptor) preempt(*victim, *preemptor);
  }
  for (const std::string& uid : decision.no_longer_nominated)
    if (ObjectPtr pod = pod_of(uid); pod && !api::nominated_node_of(*pod).empty())
      store_.modify(kinds::pod, namespace_of(*pod), name_of(*pod),
                    [](Json& next) { next["status"].erase("nominatedNodeName"); });
  for (const auto& [uid, message] : decision.unschedulable)
    if (ObjectPtr pod = pod_of(uid)) refuse(*pod, message);
}

void Binder::bind(const Json& pod) {
  std::set<int> taken;
  for (const auto& [uid, slots] : gpus_) taken.insert(slots.begin(), slots.end());
  const api::Amounts request = api::pod_requests(api::spec_of(pod));
  const auto wanted = request.find(kGpu);
  std::vector<std::string> slots;
  for (int slot = 0; wanted != request.end() && slot < gpu_count_; ++slot)
    if (!taken.contains(slot) && static_cast<int64_t>(slots.size()) * api::kMilli < wanted->second)
      slots.push_back(std::to_string(slot));
  const std::string now = rfc3339(clock_.now());
  constexpr const char* kAddress = "127.0.0.1";
  store_.modify(kinds::pod, namespace_of(pod), name_of(pod), [&](Json& next) {
    next["spec"]["nodeName"] = node_name_;
    if (!slots.empty()) api::set_annotation(next, api::kGpuSlots, join(slots, ","));
    Json& status = next["status"];
    status.update({{"phase", "Pending"}, {"startTime", now}, {"hostIP", kAddress}, {"podIP", kAddress}});
    status.erase("nominatedNodeName");
    set_condition(next, "PodScheduled", true, "", "", now);
  });
  gpus_[uid_of(pod)] = slots_from(join(slots, ","));
  if (!pod_group_of(pod).empty()) tell_group(pod, true, "Scheduled", "");
  events_.record(
      pod, "Normal", "Scheduled",
      fmt::format("Successfully assigned {}/{} to {}", namespace_of(pod), name_of(pod), node_name_),
      kComponent);
}

void Binder::preempt(const Json& victim, const Json& preemptor) {
  const std::string now = rfc3339(clock_.now());
  const std::string by = fmt::format("Preempted by pod {}/{} on node {}", namespace_of(preemptor),
                                     name_of(preemptor), node_name_);
  events_.record(victim, "Normal", "Preempted", by, kComponent, &preemptor);
  store_.modify(kinds::pod, namespace_of(preemptor), name_of(preemptor),
                [&](Json& next) { next["status"]["nominatedNodeName"] = node_name_; });
  store_.modify(kinds::pod, namespace_of(victim), name_of(victim), [&](Json& next) {
    set_condition(next, "DisruptionTarget", true, "PreemptionByScheduler",
                  fmt::format("default-scheduler: preempting to accommodate a higher priority pod: {}", by),
                  now);
    api::set_annotation(next, api::kPreemptedBy, preemptor_name(preemptor, victim));
    mark_deleted(next, clock_.now());
  });
}

void Binder::refuse(const Json& pod, const std::string& message) {
  store_.modify(kinds::pod, namespace_of(pod), name_of(pod), [&](Json& next) {
    set_condition(next, "PodScheduled", false, "Unschedulable", message, rfc3339(clock_.now()));
  });
  if (!pod_group_of(pod).empty()) tell_group(pod, false, "Unschedulable", message);
}

}  // namespace kml::local
