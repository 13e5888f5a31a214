#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

#include "job/capacity/devices.h"
#include "job/why/causes.h"
#include "job/why/reader.h"
#include "kml/job/views/find.h"
#include "kml/job/views/has_tasks.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/ownership.h"
#include "kml/job/views/pod_view.h"
#include "kml/job/why/cause.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/dependency.h"
#include "kml/kube/objects/gang.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

/// Requests for PodGroups, queues, nodes, pods and events.
constexpr int kRequestsForVolcano = 8;
/// Requests for nodes, pods and events.
constexpr int kRequestsForTopology = 4;

bool has_no_node(const Json& pod) {
  return api::node_of(pod).empty() && api::phase_of(pod) == "Pending";
}

/// Reads objects step by step: the objects found so far decide what to read next.
class Gatherer {
 public:
  Gatherer(Reader& reader, const Json& job, std::vector<const Json*> pods, const JobOrTask& named)
      : reader_(reader), pods_(std::move(pods)), facts_{.job = job} {
    facts_.is_task = named.task && has_tasks(named.job);
    facts_.rank = named.task;
    facts_.pods = pods_;
    facts_.now = system_clock().now();
  }

  std::vector<Cause> run() {
    std::vector<Cause> causes = causes_of(facts_);
    if (has_ended(state_of(facts_.job, false))) return causes;
    read_events_of(facts_.job);
    if (!api::label_of(facts_.job, api::kKueueQueue).empty()) read_queue(reader_, facts_);
    if (const Json* workload = workload_of(facts_); workload && requires_topology(*workload)) {
      reader_.allow(kRequestsForTopology);
      read_nodes();
    }
    read_pod_group();
    if (is_scheduled_by_volcano(facts_)) {
      reader_.allow(kRequestsForVolcano);
      read_volcano(reader_, facts_);
      if (facts_.volcano_queue) read_active_pods(true);  // the jobs that use the queue
    }
    causes = causes_of(facts_);
    look_at_dependencies(causes[0]);
    look_at_pods(causes);
    if (causes[0].code == CauseCode::no_pods) {
      look_at_inner_jobs();
      causes = causes_of(facts_);
    }
    look_at_quota(causes);
    look_at_node(causes[0].code);
    causes = causes_of(facts_);
    if (causes[0].code == CauseCode::resources_held && any_came_with_it()) {
      facts_.other_jobs =
          reader_.list_briefly("jobs of all namespaces", *api::find_kind("batch/v1", "Job"), "");
      causes = causes_of(facts_);
    }
    const bool names_classes =
        causes[0].code == CauseCode::resources_held || causes[0].code == CauseCode::priority_class_missing;
    if (names_classes && !facts_.priorities) {
      facts_.priorities =
          reader_.list("priority classes", *api::find_kind("scheduling.k8s.io/v1", "PriorityClass"), "");
      causes = causes_of(facts_);
    }
    say_what_may_have_expired();
    for (Cause& cause : causes) name_users(cause);
    return causes;
  }

 private:
  const std::string& place() const { return namespace_; }

  void read_events_of(const Json& object) { read_events("involvedObject.name=" + api::name_of(object)); }

  void read_events(const std::string& field_selector) {
    auto events = reader_.list("events", *api::find_kind("v1", "Event"), place(), field_selector);
    if (!events) return;
    if (!facts_.events) facts_.events.emplace();
    std::move(events->begin(), events->end(), std::back_inserter(*facts_.events));
  }

  void read_nodes() {
    if (!facts_.nodes) facts_.nodes = reader_.list_briefly("nodes", *api::find_kind("v1", "Node"), "");
  }

  /// Reads the PodGroup of pods that the scheduler has not examined yet, or for which it found no rack.
  void read_pod_group() {
    for (const Json* pod : pods_) {
      const std::string group = api::pod_group_of(*pod);
      if (group.empty() || !has_no_node(*pod)) continue;
      if (api::condition(*pod, "PodScheduled") && !tells_of_placements(*pod)) continue;
      facts_.native_groups =
          reader_.list("pod groups", api::known_kind("scheduling.k8s.io/v1beta1", "PodGroup"), place(),
                       "metadata.name=" + group);
      return;
    }
  }

  void read_active_pods(bool with_nodes) {
    if (facts_.active_pods) return;
    if (with_nodes) read_nodes();
    facts_.active_pods = reader_.list_briefly("pods of all namespaces", *api::find_kind("v1", "Pod"),
                                              with_nodes ? "" : place());
  }

  /// Whether another job's pod is waiting that was created in the same second as one of this job's pods. If
  /// so, only the jobs show which pod is first in order.
  bool any_came_with_it() const {
    if (!facts_.active_pods) return false;
    std::set<std::string> times;
    for (const Json* pod : pods_)
      if (has_no_node(*pod)) times.insert(api::creation_text(*pod));
    return std::any_of(facts_.active_pods->begin(), facts_.active_pods->end(), [&](const Json& pod) {
      return has_no_node(pod) && times.contains(api::creation_text(pod)) && !is_own_pod(facts_, pod);
    });
  }

  /// Reads the jobs that this job waits for, then the jobs that those wait for in turn: one of them may never
  /// start.
  void look_at_dependencies(const Cause& cause) {
    constexpr size_t kMost = 10;
    if (cause.code != CauseCode::dependency) return;
    std::vector<Json> read;
    std::set<std::string> known = {api::name_of(facts_.job)};
    for (size_t next = 0; next <= read.size() && next < kMost; ++next)
      for (const api::Dependency& one : api::dependencies_of(next == 0 ? facts_.job : read[next - 1])) {
        const api::ResourceKind* kind = kind_shown_as(one.kind);
        if (!kind || read.size() >= kMost || !known.insert(one.name).second) continue;
        reader_.allow(1);
        if (auto job = reader_.get_if_allowed(*kind, place(), one.name)) read.push_back(std::move(*job));
      }
    facts_.other_jobs = std::move(read);
  }

  void look_at_pods(const std::vector<Cause>& causes) {
    const auto first = std::find_if(pods_.begin(), pods_.end(), [&](const Json* pod) {
      return "pod " + api::name_of(*pod) == causes[0].object;
    });
    if (first != pods_.end()) read_events_of(**first);
    const bool any_without_node =
        std::any_of(pods_.begin(), pods_.end(), [](const Json* pod) { return has_no_node(*pod); });
    const CauseCode code = causes[0].code;
    if (code == CauseCode::volume_pending || code == CauseCode::volume_missing)
      facts_.claims = reader_.list("volume claims", *api::find_kind("v1", "PersistentVolumeClaim"), place());
    if (code == CauseCode::volume_pending) {
      for (const Json& claim : facts_.claims.value_or(std::vector<Json>{}))
        if (api::phase_of(claim) != "Bound") return read_events_of(claim);
      return;
    }
    if (code == CauseCode::claim_pending) {
      facts_.slices = reader_.list("resource slices", kResourceSlices, "");
      facts_.resource_claims = reader_.list("resource claims of all namespaces", kResourceClaims, "");
    }
    if (any_without_node && code != CauseCode::volume_missing && code != CauseCode::scheduling_gate)
      read_active_pods(true);
    // Looks for a pod's preemptor. The preempted pod usually no longer exists, and only events name the
    // preemptor.
    const bool any_preempted = std::any_of(pods_.begin(), pods_.end(), [](const Json* pod) {
      return api::condition_is_true(*pod, "DisruptionTarget");
    });
    if (any_preempted || pods_made(facts_) > static_cast<long long>(pods_.size())) {
      read_events("reason=Preempted");
      if (any_preempted || gone_pod_cause(facts_)) read_active_pods(true);
    }
  }

  /// If the job's controller leaves its pods to Jobs, the events about rejected pods are about these Jobs.
  /// They count as events about the job.
  void look_at_inner_jobs() {
    const std::string kind = api::kind_name(facts_.job), name = api::name_of(facts_.job);
    const bool is_set = kind == "JobSet" || kind == "TrainJob";  // a TrainJob's JobSet has the same name
    if (!is_set && kind != "MPIJob") return;
    reader_.allow(2);
    const auto jobs = reader_.list("jobs", *api::find_kind("batch/v1", "Job"), place(),
                                   is_set ? "" : "metadata.name=" + name + "-launcher",
                                   is_set ? std::string(api::kJobSetName) + "=" + name : "");
    std::set<std::string> uids;
    for (const Json& inner : jobs.value_or(std::vector<Json>()))
      if (is_set || is_controlled_by(inner, facts_.job)) uids.insert(api::uid_of(inner));
    auto events = uids.empty() ? std::nullopt
                               : reader_.list("events", *api::find_kind("v1", "Event"), place(),
                                              "reason=FailedCreate,involvedObject.kind=Job");
    for (Json& event : events.value_or(std::vector<Json>())) {
      if (!uids.contains(api::involved_uid(event))) continue;
      event["involvedObject"]["uid"] = api::uid_of(facts_.job);
      if (!facts_.events) facts_.events.emplace();
      facts_.events->push_back(std::move(event));
    }
  }

  /// Reads which jobs use up a quota. If the event about the rejected pod has expired, checks whether a quota
  /// would reject another pod.
  void look_at_quota(const std::vector<Cause>& causes) {
    const bool is_full = causes[0].code == CauseCode::quota;
    if (causes[0].code == CauseCode::no_pods || causes[0].code == CauseCode::gang_incomplete || is_full)
      facts_.quotas = reader_.list("quotas", *api::find_kind("v1", "ResourceQuota"), place());
    if (!is_full && (!facts_.quotas || facts_.quotas->empty())) return;
    read_active_pods(true);
    if (!facts_.active_pods) read_active_pods(false);
    facts_.other_jobs = reader_.list_briefly("jobs", *api::find_kind("batch/v1", "Job"), place());
  }

  /// Checks whether a node does not respond, or its disk is full. If a job seems to run, or to wait for no
  /// reason, nothing else shows such a problem.
  void look_at_node(CauseCode code) {
    constexpr std::array kUnexplained = {
        CauseCode::running,   CauseCode::starting, CauseCode::scheduling, CauseCode::no_pods,
        CauseCode::backoff,   CauseCode::failing,  CauseCode::finishing,  CauseCode::stopping,
        CauseCode::node_lost, CauseCode::evicted,  CauseCode::restarting, CauseCode::stopping_stuck};
    if (std::find(kUnexplained.begin(), kUnexplained.end(), code) == kUnexplained.end()) return;
    std::string name;
    for (const Json* pod : pods_)
      if (!api::node_of(*pod).empty() && (name.empty() || is_on_lost_node(*pod))) name = api::node_of(*pod);
    if (name.empty()) {
      read_nodes();
      if (facts_.nodes && facts_.nodes->size() == 1) name = api::name_of((*facts_.nodes)[0]);
    }
    if (!name.empty()) facts_.node = reader_.get_if_allowed(*api::find_kind("v1", "Node"), "", name);
  }

  void say_what_may_have_expired() {
    const auto age = facts_.now - api::created_at(facts_.job).value_or(facts_.now);
    if (facts_.events && facts_.events->empty() && age > std::chrono::minutes(1))
      reader_.unknown.emplace_back("its events: none was found (a server keeps them for an hour by default)");
  }

  /// Finds out which users submitted the jobs that hold what is missing. If there are more than a few such
  /// jobs, reads all jobs in one list.
  void name_users(Cause& cause) {
    constexpr size_t kFew = 3;
    std::vector<Holder*> unnamed;
    for (Holder& holder : cause.holders)
      if (holder.user.empty() && kind_shown_as(holder.kind)) unnamed.push_back(&holder);
    if (unnamed.size() > kFew) {
      std::map<JobKey, std::string> users;
      reader_.allow(1);
      for (const Json& job :
           reader_.list_briefly("jobs of all namespaces", *api::find_kind("batch/v1", "Job"), "")
               .value_or(std::vector<Json>{}))
        users[{api::namespace_of(job), "Job", api::name_of(job)}] = api::label_of(job, api::kUser);
      for (Holder* holder : unnamed) holder->user = users[key_of(*holder)];
      std::erase_if(unnamed, [](const Holder* holder) { return !holder->user.empty(); });
    }
    unnamed.resize(std::min(unnamed.size(), kFew));
    reader_.allow(static_cast<int>(unnamed.size()));
    for (Holder* holder : unnamed)
      if (const auto job =
              reader_.get_if_allowed(*kind_shown_as(holder->kind), holder->namespace_name, holder->name))
        holder->user = api::label_of(*job, api::kUser);
  }

  Reader& reader_;
  std::vector<const Json*> pods_;
  Facts facts_;
  const std::string namespace_ = api::namespace_of(facts_.job);
};

/// Adds the task to the commands that can act on a task.
void speak_of_task(Verdict& verdict, const JobOrTask& named, std::span<const Json* const> pods) {
  verdict.job.name = named.name();
  if (const auto waits = task_waits(named, pods)) {
    std::erase_if(verdict.causes, [](const Cause& cause) { return cause.code == CauseCode::no_pods; });
    verdict.causes.insert(verdict.causes.begin(), *waits);
  }
  std::vector<std::string> verbs = {"kml logs "};
  if (has_tasks(named.job)) verbs.emplace_back("kml rerun ");  // the ranks of a gang only run together
  for (const std::string& verb : verbs)
    for (Cause& cause : verdict.causes)
      for (Remedy& remedy : cause.remedies)
        if (const std::string whole = verb + api::name_of(named.job);
            remedy.command == whole || remedy.command.starts_with(whole + " "))
          remedy.command = verb + named.name() + remedy.command.substr(whole.size());
}

}  // namespace

std::optional<Cause> task_waits(const JobOrTask& named, std::span<const Json* const> pods) {
  if (!named.task || !pods.empty()) return {};
  const State state = state_of(named.as_job(pods), false);
  const long long most = int_at(named.job, {"spec", "parallelism"}, 1);
  const long long active = int_at(named.job, {"status", "active"});
  if (state != State::waiting || active < most) return {};
  const long long running = std::min(int_at(named.job, {"status", "ready"}, active), active);
  const std::string now = running == active ? fmt::format("{} {} running", active, active == 1 ? "is" : "are")
                                            : fmt::format("{} {} running and {} {} begun to start", running,
                                                          running == 1 ? "is" : "are", active - running,
                                                          active - running == 1 ? "has" : "have");
  Cause cause =
      make_cause(CauseCode::no_pods, "waits for earlier tasks",
                 fmt::format("task {} waits for earlier tasks of job {}: {}, the maximum at one time",
                             *named.task, api::name_of(named.job), now));
  cause.remedies = {{"see the whole job", "kml status " + api::name_of(named.job)}};
  return cause;
}

Verdict why(kube::Client& client, std::string_view namespace_name, std::string_view name) {
  const JobOrTask named = find_job_or_task(client, namespace_name, name);
  Reader reader(client, requests_to_find(named.job));
  const kube::ListOptions which = telling_pods(named);
  const Reader::Objects listed =
      reader.list("pods", *api::find_kind("v1", "Pod"), api::namespace_of(named.job), which.field_selector,
                  which.label_selector);
  const std::vector<Json> none;
  Ownership ownership;
  std::vector<const Json*> own;
  for (const Json& pod : listed ? *listed : none)
    if (ownership.has(client, named.job, pod)) own.push_back(&pod);
  own = named.own(own);
  const Json job = named.as_job(own);
  Verdict verdict{view_of_job(job, own)};
  verdict.causes = Gatherer(reader, job, own, named).run();
  if (named.task) speak_of_task(verdict, named, own);
  for (Cause& cause : verdict.causes) name_maker(job, cause);
  // The job was read before its pods, so its state may be older than theirs. Makes the two agree.
  const CauseCode code = verdict.causes[0].code;
  if (code == CauseCode::running) verdict.job.state = State::running;
  // The job alone does not show whether Kueue suspended it, or a person did so through Kueue.
  if (code == CauseCode::suspended || code == CauseCode::queue_gave_up) verdict.job.state = State::suspended;
  verdict.unknown = std::move(reader.unknown);
  verdict.object = job;
  if (listed) verdict.pods.emplace();
  for (const Json* pod : own)
    if (verdict.pods) verdict.pods->push_back(*pod);
  return verdict;
}

}  // namespace kml::job
