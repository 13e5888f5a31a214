#include "local/kubelet/supervisor.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <map>

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

// How often the server checks whether something that a pod lacks (a secret, an image's command) exists now.
constexpr auto kLookAgain = 3s;
// The time given to killed processes to end.
constexpr auto kDying = 20ms;
// How many times the server checks a claim that is locked by something other than the pod's shim.
constexpr int kMostLooks = 250;
// How many deleted pods of one job keep their logs. The limit matters only for jobs that fail every second
// for hours.
constexpr size_t kMostKept = 10'000;

bool is_bound(const Json& pod) {
  return !api::node_of(pod).empty();
}

/// The uid of the pod's controller; empty if the controller was deleted or the pod has none.
std::string living_owner(const Store& store, const Json& pod) {
  const Json* reference = api::controller_of(pod);
  const api::ResourceKind* kind =
      reference ? api::find_kind(api::api_version_of(*reference), api::kind_name(*reference)) : nullptr;
  if (!kind) return {};
  const ObjectPtr owner = store.get(*kind, namespace_of(pod), api::entry_name(*reference));
  return owner && uid_of(*owner) == api::entry_uid(*reference) ? uid_of(*owner) : std::string();
}

double grace_of(const Json& pod) {
  return static_cast<double>(api::grace_seconds_of(pod));
}

bool says_ended(const Json& shim_status) {
  const std::string phase = string_at(shim_status, {"phase"});
  return phase == "Succeeded" || phase == "Failed";
}

/// The pod's shim, if one is alive. The pod's program can remove the claim, so if the claim names no process,
/// all processes are searched.
std::optional<ShimProcess> living_shim(const PodFolder& folder, const Claim& claim) {
  auto owner = claim.state == Claim::held ? ShimProcess::find(claim.owner, folder) : std::nullopt;
  return owner ? std::move(owner) : ShimProcess::search(folder);
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
    // The pod object was removed while its shim was running, so no grace period is left.
    auto it = running_.find(uid_of(*event.object));
    if (it != running_.end() && !pod_has_ended(*event.object)) stop(*event.object, it->second, {0, ""});
  } else if (event.change == Change::deleted) {
    const auto node = kept_.extract(uid_of(*event.object));
    std::error_code ignored;
    if (node)
      for (const fs::path& folder : node.mapped()) fs::remove_all(folder, ignored);
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
  tell_of_limits(pod, plan);
  check_deadline(pod, running_.at(plan.uid));
}

/// Warns if the pod has memory limits that this machine cannot enforce.
void Supervisor::tell_of_limits(const Json& pod, const PodPlan& plan) {
  if (has_controller(context_.cgroups, "memory")) return;
  for (const auto* group : {&plan.init_containers, &plan.containers})
    for (const ContainerPlan& container : *group)
      if (container.memory_limit > 0)
        return events_.record(pod, "Warning", "MemoryLimitNotEnforced",
                              "resources.limits.memory is not enforced: this user may not create cgroups "
                              "with a memory controller on this machine",
                              kKubelet);
}

/// Ends a pod that is deleted before it ran. Takes its claim, so that a late shim of a killed server does not
/// run the pod.
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
  // The pod was told to stop before this shim was found.
  if (running.stop_grace >= 0) running.shim->signal(SIGTERM);
}

void Supervisor::stop(const Json& pod, Running& running, const StopOrder& order) {
  if (running.stop_grace >= 0 && order.grace_seconds >= running.stop_grace) return;
  const bool is_written = write_stop_order(running.folder, order);
  // If the disk is full, the order can be written later. If the pod's program has damaged the folder, it
  // never can: the shim then only gets the signal, and ends the pod without grace.
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

/// Kills the shim if the pod's program has stopped it, because a stopped shim cannot end the pod. A running
/// shim will, so it is given all the time it needs.
void Supervisor::end_stopped_shim(const std::string& uid) {
  auto it = running_.find(uid);
  if (it == running_.end()) return;
  if (it->second.shim && it->second.shim->is_stopped()) it->second.shim->signal(SIGKILL);
  overdue_.add_after(uid, kLookAgain);
}

/// The remaining grace period. After a restart of the server, the time since the first order is subtracted.
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
  // Another shim got the claim first, or the shim of an earlier server is still running.
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

/// Why the pod was ordered to stop. After a restart of the server, this is read from the pod's folder.
std::optional<std::string> Supervisor::given_reason(const Running& running) const {
  if (running.stop_grace >= 0) return running.stop_reason;
  const auto order = read_stop_order(running.folder);
  return order ? std::optional(order->reason) : std::nullopt;
}

/// Whether processes of the pod remain after its shim has ended. Kills those that it can.
bool Supervisor::end_leftovers(const std::string& uid, Running& running, const Claim& claim) {
  if (kill_leftovers(running.folder, uid, context_.cgroups)) return running.has_begun = true;
  // Either the last processes of a killed shim are still dying, or a program has locked the claim. The latter
  // must not prevent the end of the pod forever.
  return claim.state == Claim::held && ++running.looks < kMostLooks;
}

/// Why the pod had to stop; empty if it did not. Does not rely on the order in the pod's folder alone, which
/// the program may have removed.
std::optional<std::string> Supervisor::why_stopped(const Json& pod, const Running& running) const {
  if (auto reason = given_reason(running)) return reason;
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
  // While the shim is running, the pod has not ended, even if its program wrote that into the status file.
  if (it->second.shim && says_ended(*status)) return;
  const std::string reason = given_reason(it->second).value_or("");
  const ObjectPtr after =
      modify_pod(store_, *pod, [&](Json& next) { apply_shim_status(next, *status, reason, clock_.now()); });
  tell_changes(events_, *pod, *after);
  tell_of_probes(events_, *after, *status, it->second.unhealthy);
  if (pod_has_ended(*after)) keep_only_logs(*after);
}

void Supervisor::remove_ended(const Json& pod) {
  // The owner of the finalizer must see the pod's end first.
  if (!api::finalizers_of(pod).empty()) return;
  const fs::path folder = pod_folder(context_.state_folder, uid_of(pod)).path;
  const std::string owner = living_owner(store_, pod);
  std::error_code ignored;
  if (owner.empty()) {
    fs::remove_all(folder, ignored);
  } else if (fs::exists(folder, ignored)) {
    keep_only_logs(pod);
    replace_file(PodFolder{folder}.owner(), owner + "\n" + api::full_name_of(pod));
    keep(owner, folder);
  }
  store_.remove(kinds::pod, namespace_of(pod), name_of(pod));
}

/// Removes the oldest logs, so that a job that is preempted again and again does not fill the disk.
void Supervisor::keep(const std::string& owner, const fs::path& folder) {
  std::deque<fs::path>& folders = kept_[owner];
  folders.push_back(folder);
  std::error_code ignored;
  for (; folders.size() > kMostKept; folders.pop_front()) fs::remove_all(folders.front(), ignored);
}

/// Removes the volumes, because they may contain secrets' values.
void Supervisor::keep_only_logs(const Json& pod) {
  const PodFolder folder = pod_folder(context_.state_folder, uid_of(pod));
  std::error_code ignored;
  fs::remove_all(folder.volumes(), ignored);
}

void Supervisor::forget(const std::string& uid) {
  watch_.remove(uid);
  running_.erase(uid);
}

void Supervisor::recover() {
  std::unordered_map<std::string, bool> known;
  for (const ObjectPtr& pod : store_.list(kinds::pod, "")) {
    const std::string uid = uid_of(*pod);
    known[uid] = true;
    queue_.add(api::full_name_of(*pod));
    const PodFolder folder = pod_folder(context_.state_folder, uid);
    if (pod_has_ended(*pod) || !is_bound(*pod)) continue;
    if (fs::exists(folder.path)) watch_.add(folder.path, uid);
    running_.emplace(uid, Running{api::full_name_of(*pod), folder, {}});
    ends_.look_at(uid);
  }
  for (const api::ResourceKind* kind : {&kinds::job, &kinds::pytorchjob, &kinds::replica_set})
    for (const ObjectPtr& owner : store_.list(*kind, "")) known[uid_of(*owner)] = true;
  std::error_code ignored;
  std::multimap<fs::file_time_type, std::pair<std::string, fs::path>> kept;
  for (const auto& entry : fs::directory_iterator(pods_folder(context_.state_folder), ignored)) {
    if (known.contains(entry.path().filename())) continue;
    std::string owner = read_pod_file(PodFolder{entry.path()}.owner()).value_or("");
    owner.resize(std::min(owner.find('\n'), owner.size()));
    if (known.contains(owner))
      kept.emplace(entry.last_write_time(ignored), std::pair(owner, entry.path()));
    else
      clean_folder(entry.path());
  }
  for (const auto& [time, folder] : kept) keep(folder.first, folder.second);
}

/// Ends the processes of a folder that belongs to no object in the store, then removes the folder.
void Supervisor::clean_folder(const fs::path& path) {
  const PodFolder folder{path};
  const Claim claim = read_claim(folder);
  if (claim.state == Claim::none) take_claim(folder);
  if (claim.state == Claim::held || !says_ended(read_status(folder).value_or(Json()))) {
    if (auto shim = living_shim(folder, claim)) {
      write_stop_order(folder, {});
      shim->signal(SIGTERM);
      return void(loop_.after(100ms, [this, path] { clean_folder(path); }));
    }
    if (kill_leftovers(folder, path.filename(), context_.cgroups))
      return void(loop_.after(kDying, [this, path] { clean_folder(path); }));
  }
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

}  // namespace kml::local
