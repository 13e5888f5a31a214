#include "local/kubelet/supervisor.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "kml/base/error.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "local/events/attempts.h"
#include "local/kubelet/cgroup_site.h"
#include "local/kubelet/pod_events.h"
#include "local/kubelet/pod_status.h"
#include "local/kubelet/shim_process.h"
#include "local/shim/status_file.h"
#include "local/store/object.h"

namespace kml::local {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

// How often the server checks whether something that a pod needs (a secret, or an image's command) exists
// now.
constexpr auto kLookAgain = 3s;
// The number of times that the server checks whether a claim is still locked by something other than the
// pod's shim. Then it gives up.
constexpr int kMostLooks = 250;

bool is_bound(const Json& pod) {
  return !api::node_of(pod).empty();
}

double grace_of(const Json& pod) {
  return static_cast<double>(api::grace_seconds_of(pod));
}

/// Whether any container of the pod is known to have run.
bool has_run(const Json& pod) {
  for (const char* group : {"initContainerStatuses", "containerStatuses"})
    for (const Json& container : api::container_statuses(pod, group))
      if (api::is_running(container) || api::terminated_in(container)) return true;
  return phase_of(pod) != "Pending";
}

/// The time until the pod's deadline; empty if it has none.
std::optional<nanoseconds> time_to_deadline(const Json& pod, Time now) {
  const Json* seconds = find(pod, {"spec", "activeDeadlineSeconds"});
  const auto begin = api::started_at(pod);
  if (!seconds || !seconds->is_number_integer() || !begin) return {};
  return *begin + std::chrono::seconds(seconds->get<int64_t>()) - now;
}

template <typename Change>
ObjectPtr modify_pod(Store& store, const Json& pod, Change change) {
  return store.modify(kinds::pod, namespace_of(pod), name_of(pod), [&](Json& next) {
    if (uid_of(next) == uid_of(pod)) change(next);
  });
}

}  // namespace

Supervisor::Supervisor(EventLoop& loop, Store& store, EventRecorder& events, const Clock& clock,
                       PlanContext context, fs::path binary)
    : loop_(loop),
      store_(store),
      events_(events),
      clock_(clock),
      context_(std::move(context)),
      binary_(std::move(binary)),
      remains_(loop, store, context_.state_folder, context_.cgroups),
      queue_(loop, [this](const std::string& key) { look(key); }),
      news_(loop, [this](const std::string& uid) { take_status(uid); }),
      ends_(loop, [this](const std::string& uid) { shim_ended(uid); }),
      overdue_(loop, [this](const std::string& uid) { end_stopped_shim(uid); }),
      watch_(loop, "status", [this](const std::string& uid) { news_.add(uid); }) {
  store.subscribe([this](const StoreEvent& event) { on_event(event); });
}

void Supervisor::on_event(const StoreEvent& event) {
  if (event.kind == &kinds::pod) {
    if (event.change != Change::deleted) return queue_.add(api::full_name_of(*event.object));
    // The pod object was removed while the pod's shim was running, so no grace period is left.
    auto it = running_.find(uid_of(*event.object));
    if (it != running_.end() && !pod_has_ended(*event.object)) stop(*event.object, it->second, {0, ""});
  } else if (event.change == Change::deleted) {
    remains_.owner_is_gone(uid_of(*event.object));
  }
}

void Supervisor::look(const std::string& key) {
  if (ObjectPtr pod = get_by_full_name(store_, kinds::pod, key)) look_at(*pod);
}

void Supervisor::look_at(const Json& pod) {
  if (pod_has_ended(pod)) {
    if (is_being_deleted(pod)) remove_ended(pod);
    return;
  }
  auto it = running_.find(uid_of(pod));
  if (it != running_.end()) {
    if (is_being_deleted(pod)) return stop(pod, it->second, deletion_order(pod, it->second));
    if (const std::string reason = annotation_of(pod, kEndedBy); !reason.empty())
      return stop(pod, it->second, {grace_of(pod), reason});
    return check_deadline(pod, it->second);
  }
  if (is_being_deleted(pod)) return end_unstarted(pod);
  if (is_bound(pod)) start(pod);
}

void Supervisor::start(const Json& pod) {
  const PodFolder folder = pod_folder(context_.state_folder, uid_of(pod));
  PodPlan plan;
  try {
    plan = plan_pod(pod, context_);
  } catch (const Error& error) {
    if (error.reason != "CreateContainerConfigError") throw;
    modify_pod(store_, pod,
               [&](Json& next) { apply_waiting(next, error.reason, error.message, clock_.now()); });
    events_.record(pod, "Warning", "Failed", "Error: " + error.message, kKubelet);
    queue_.add_after(api::full_name_of(pod), kLookAgain);
    return;
  }
  make_private_folder(folder.path);
  watch_.add(folder.path, plan.uid);
  running_.emplace(plan.uid, Running{api::full_name_of(pod), folder, {}});
  try {
    follow(plan.uid, ShimProcess::spawn(binary_, folder, plan));
  } catch (const Error&) {
    forget(plan.uid);
    throw;
  }
  tell_of_limits(events_, pod, plan, context_.cgroups);
  check_deadline(pod, running_.at(plan.uid));
}

/// Ends a pod that is deleted before it has run. Takes its claim, so that a shim that a killed server has
/// started cannot run the pod later.
void Supervisor::end_unstarted(const Json& pod) {
  const PodFolder folder = pod_folder(context_.state_folder, uid_of(pod));
  if (fs::exists(folder.path)) take_claim(folder);
  modify_pod(store_, pod, [&](Json& next) { apply_never_started(next, clock_.now()); });
}

void Supervisor::follow(const std::string& uid, ShimProcess shim) {
  Running& running = running_.at(uid);
  running.shim.emplace(std::move(shim));
  running.shim->on_end(loop_, [this, uid](bool well) {
    if (auto it = running_.find(uid); it != running_.end()) it->second.shim_ended_well = well;
    ends_.add(uid);
  });
  // The pod was ordered to stop before this shim was found.
  if (running.stop_grace >= 0) running.shim->signal(SIGTERM);
}

void Supervisor::stop(const Json& pod, Running& running, const StopOrder& order) {
  if (running.stop_grace >= 0 && order.grace_seconds >= running.stop_grace) return;
  const bool is_written = write_stop_order(running.folder, order);
  // If the disk is full, the order can be written later. If the pod's program has damaged the folder, the
  // order can never be written: then the shim only gets the signal, and ends the pod without a grace period.
  if (!is_written && (errno == ENOSPC || errno == EDQUOT || errno == EIO))
    throw system_error("cannot write " + running.folder.stop().string(), errno);
  if (running.stop_grace < 0)
    for (const Json& container : api::containers_of(pod))
      events_.record(pod, "Normal", "Killing", "Stopping container " + api::entry_name(container), kKubelet);
  running.stop_grace = order.grace_seconds;
  running.stop_reason = order.reason;
  if (running.shim) running.shim->signal(SIGTERM);
  overdue_.add_after(uid_of(pod),
                     std::chrono::milliseconds(static_cast<int64_t>(order.grace_seconds * 1000)));
}

/// Kills the shim if the pod's program has stopped the shim by SIGSTOP, because a stopped shim cannot end the
/// pod. A running shim will end the pod, so it gets all the time it needs.
void Supervisor::end_stopped_shim(const std::string& uid) {
  auto it = running_.find(uid);
  if (it == running_.end()) return;
  if (it->second.shim && it->second.shim->is_stopped()) it->second.shim->signal(SIGKILL);
  overdue_.add_after(uid, kLookAgain);
}

/// The remaining grace period. If the server was restarted, subtracts the time since the first order.
StopOrder Supervisor::deletion_order(const Json& pod, const Running& running) const {
  const auto grace = static_cast<double>(int_at(pod, {"metadata", "deletionGracePeriodSeconds"}, 30));
  const auto end = parse_rfc3339(string_at(pod, {"metadata", "deletionTimestamp"}));
  if (running.stop_grace >= 0 || !end || !read_stop_order(running.folder)) return {grace, ""};
  const double left = std::chrono::duration<double>(*end - clock_.now()).count();
  return {std::clamp(left, 0.0, grace), ""};
}

void Supervisor::check_deadline(const Json& pod, Running& running) {
  const auto left = time_to_deadline(pod, clock_.now());
  if (!left) return;
  if (*left > 0ns) return queue_.add_after(running.key, *left);
  if (running.stop_grace >= 0) return;
  stop(pod, running, {grace_of(pod), "DeadlineExceeded"});
}

void Supervisor::shim_ended(const std::string& uid) {
  auto it = running_.find(uid);
  if (it == running_.end()) return;
  Running& running = it->second;
  const bool ended_well = std::exchange(running.shim_ended_well, false);
  running.shim.reset();
  const Claim claim = read_claim(running.folder);
  // Either another shim got the claim first, or the shim of an earlier server is still running.
  if (claim.state == Claim::held || !ended_well)
    if (auto shim = living_shim(running.folder, claim)) {
      news_.add(uid);
      return follow(uid, std::move(*shim));
    }
  if (!ended_well && end_leftovers(uid, running, claim)) return ends_.add_after(uid, kDying);
  take_status(uid);
  const ObjectPtr pod = get_by_full_name(store_, kinds::pod, running.key);
  if (!pod || uid_of(*pod) != uid || pod_has_ended(*pod)) return forget(uid);
  if (claim.state == Claim::none && !running.has_begun && !has_run(*pod) && !read_status(running.folder))
    queue_.add_after(running.key, 100ms);
  else if (const auto reason = why_stopped(*pod, running))
    modify_pod(store_, *pod, [&](Json& next) { apply_stopped(next, *reason, clock_.now()); });
  else
    modify_pod(store_, *pod, [&](Json& next) { apply_lost(next, clock_.now()); });
  forget(uid);
}

std::optional<std::string> Supervisor::Running::given_reason() const {
  if (stop_grace >= 0) return stop_reason;
  const auto order = read_stop_order(folder);
  return order ? std::optional(order->reason) : std::nullopt;
}

/// Whether processes of the pod are left after its shim has ended. Kills those that it can.
bool Supervisor::end_leftovers(const std::string& uid, Running& running, const Claim& claim) {
  if (kill_leftovers(running.folder, uid, context_.cgroups)) return running.has_begun = true;
  // Either a killed shim's last processes are still ending, or a program has locked the claim. A program must
  // not delay the end of the pod forever.
  return claim.state == Claim::held && ++running.looks < kMostLooks;
}

/// Why the pod had to stop; empty if it did not have to. The order in the pod's folder is not enough, because
/// the program may have removed it.
std::optional<std::string> Supervisor::why_stopped(const Json& pod, const Running& running) const {
  if (auto reason = running.given_reason()) return reason;
  if (std::string reason = annotation_of(pod, kEndedBy); !reason.empty()) return reason;
  if (is_being_deleted(pod)) return "";
  const auto left = time_to_deadline(pod, clock_.now());
  return left && *left <= 0ns ? std::optional<std::string>("DeadlineExceeded") : std::nullopt;
}

void Supervisor::take_status(const std::string& uid) {
  auto it = running_.find(uid);
  if (it == running_.end()) return;
  const auto status = read_status(it->second.folder);
  const ObjectPtr pod = get_by_full_name(store_, kinds::pod, it->second.key);
  if (!status || !pod || uid_of(*pod) != uid || pod_has_ended(*pod)) return;
  // As long as the shim is running, the pod has not ended, even if the status file says so: the program may
  // have written that.
  if (it->second.shim && says_ended(*status)) return;
  const std::string reason = it->second.given_reason().value_or("");
  const ObjectPtr after =
      modify_pod(store_, *pod, [&](Json& next) { apply_shim_status(next, *status, reason, clock_.now()); });
  tell_changes(events_, *pod, *after);
  tell_of_probes(events_, *after, *status, it->second.unhealthy);
  if (pod_has_ended(*after)) remains_.keep_only_logs(*after);
}

void Supervisor::remove_ended(const Json& pod) {
  // The finalizer's owner must see that the pod has ended before the pod is removed.
  if (!api::finalizers_of(pod).empty()) return;
  remains_.pod_is_gone(pod);
  store_.remove(kinds::pod, namespace_of(pod), name_of(pod));
}

void Supervisor::forget(const std::string& uid) {
  watch_.remove(uid);
  running_.erase(uid);
}

void Supervisor::recover() {
  std::set<std::string> known;
  for (const ObjectPtr& pod : store_.list(kinds::pod, "")) {
    const std::string uid = uid_of(*pod);
    known.insert(uid);
    queue_.add(api::full_name_of(*pod));
    const PodFolder folder = pod_folder(context_.state_folder, uid);
    if (pod_has_ended(*pod) || !is_bound(*pod)) continue;
    if (fs::exists(folder.path)) watch_.add(folder.path, uid);
    running_.emplace(uid, Running{api::full_name_of(*pod), folder, {}});
    ends_.look_at(uid);
  }
  for (const api::ResourceKind* kind : {&kinds::job, &kinds::pytorchjob, &kinds::replica_set})
    for (const ObjectPtr& owner : store_.list(*kind, "")) known.insert(uid_of(*owner));
  remains_.recover(known);
}

}  // namespace kml::local
