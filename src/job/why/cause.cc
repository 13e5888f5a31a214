#include "kml/job/why/cause.h"

#include <array>

namespace kml::job {

namespace {

using enum Outlook;

constexpr CauseInfo kInfos[] = {
    {CauseCode::none, "", none, ""},
    {CauseCode::not_due, "not-due", waits, "the schedule starts its next job later"},
    {CauseCode::suspended, "suspended", never,
     "the job is suspended (`kml resume` resumes it), the schedule is paused, or the served program is "
     "stopped"},
    {CauseCode::dependency, "dependency", waits,
     "the job waits for another job to finish (`kml submit --after`)"},
    {CauseCode::queue_pending, "queue-pending", waits,
     "the job waits for earlier jobs in its queue, or Kueue has not reported what is missing"},
    {CauseCode::queue_quota, "queue-quota", waits, "the quota of the job's queue is in use"},
    {CauseCode::queue_too_large, "queue-too-large", never,
     "the job requests more than its queue can ever have"},
    {CauseCode::queue_missing, "queue-missing", never,
     "the job's queue, the cluster queue of that queue, or Kueue itself does not exist"},
    {CauseCode::queue_stopped, "queue-stopped", waits, "the job's queue is stopped, closed or inactive"},
    {CauseCode::queue_flavor, "queue-flavor", never,
     "no flavor of the queue fits the job's node selector and tolerations"},
    {CauseCode::queue_namespace, "queue-namespace", never,
     "the job's queue does not admit jobs of this namespace"},
    {CauseCode::queue_resource, "queue-resource", never,
     "the queue has no quota for a resource that the job requests"},
    {CauseCode::queue_topology, "queue-topology", waits,
     "the topology of the queue's nodes has no room for all pods of the job, or lacks the requested level"},
    {CauseCode::queue_preempting, "queue-preempting", waits,
     "the job starts next: lower-priority jobs are being stopped for it"},
    {CauseCode::queue_blocked, "queue-blocked", waits,
     "the pods of jobs that were admitted earlier are not ready yet"},
    {CauseCode::queue_gated, "queue-gated", waits, "another controller does not let Kueue admit the job yet"},
    {CauseCode::queue_check, "queue-check", waits, "the job has its quota, and waits for an admission check"},
    {CauseCode::queue_preempted, "queue-preempted", waits,
     "the job was stopped for another job, and is back in its queue"},
    {CauseCode::queue_not_ready, "queue-not-ready", waits,
     "the job's pods were not ready in time, so the job is back in its queue"},
    {CauseCode::queue_gave_up, "queue-gave-up", never, "Kueue has deactivated the job"},
    {CauseCode::controller_missing, "controller-missing", waits,
     "the job's controller has not picked it up; perhaps it does not run for the job's namespace"},
    {CauseCode::state_unknown, "state-unknown", waits,
     "an expression in the description of the job's kind cannot be evaluated"},
    {CauseCode::no_pods, "no-pods", waits,
     "the job has no pods yet: a task waits for earlier tasks, or the reason is unknown"},
    {CauseCode::quota, "quota", waits, "a quota of the namespace is used up"},
    {CauseCode::quota_too_small, "quota-too-small", never,
     "the job requests more than a quota of the namespace allows in total"},
    {CauseCode::quota_wants_limits, "quota-wants-limits", never,
     "a quota of the namespace requires requests or limits that the job's pods do not set"},
    {CauseCode::limit_range, "limit-range", never,
     "a limit range of the namespace does not allow a pod's requests or limits"},
    {CauseCode::pod_security, "pod-security", never,
     "the pod security standard of the namespace forbids the job's pods"},
    {CauseCode::service_account_missing, "service-account-missing", never,
     "the job's service account does not exist"},
    {CauseCode::priority_class_missing, "priority-class-missing", never,
     "the job's priority class does not exist"},
    {CauseCode::pods_refused, "pods-refused", never, "the server rejects the job's pods"},
    {CauseCode::scheduling_gate, "scheduling-gate", waits, "the job's pods are held by a scheduling gate"},
    {CauseCode::gang_incomplete, "gang-incomplete", waits,
     "the job's pods must start together, and some of them, or their PodGroup, do not exist"},
    {CauseCode::claim_pending, "claim-pending", waits,
     "no node has free devices for the job's resource claim, or the claim cannot be created"},
    {CauseCode::device_tainted, "device-tainted", waits,
     "the devices for the job's resource claim have a taint"},
    {CauseCode::scheduling, "scheduling", starting,
     "the scheduler has not processed the job's pods yet, or will try again soon"},
    {CauseCode::no_nodes, "no-nodes", never, "the cluster has no nodes"},
    {CauseCode::node_selector, "node-selector", never,
     "no node has the labels in the job's node selector or affinity"},
    {CauseCode::too_large, "too-large", never, "a pod requests more than any node has"},
    {CauseCode::taint, "taint", never, "the suitable nodes are reserved by a taint"},
    {CauseCode::cordoned, "cordoned", waits, "the suitable nodes are cordoned"},
    {CauseCode::nodes_not_ready, "nodes-not-ready", waits, "the suitable nodes are not ready"},
    {CauseCode::resources_held, "resources-held", waits,
     "the resources that the job requests exist but are in use"},
    {CauseCode::unschedulable, "unschedulable", waits, "no node can run the job's pods, for several reasons"},
    {CauseCode::pod_affinity, "pod-affinity", waits,
     "no node satisfies the job's pod affinity, anti-affinity or topology spread"},
    {CauseCode::host_port, "host-port", waits,
     "the host port that the job requests is in use on all suitable nodes"},
    {CauseCode::volume_missing, "volume-missing", never,
     "a volume claim that the job mounts does not exist, or is being deleted"},
    {CauseCode::volume_pending, "volume-pending", waits, "a volume claim that the job mounts is not bound"},
    {CauseCode::volume_place, "volume-place", waits,
     "the job's volume is not available on the suitable nodes"},
    {CauseCode::scaling_up, "scaling-up", starting, "no node has room now; the cluster is adding a node"},
    {CauseCode::preempting, "preempting", starting,
     "the job starts next: lower-priority pods are being stopped for it"},
    {CauseCode::image_name_invalid, "image-name-invalid", never, "the image's name is invalid"},
    {CauseCode::image_missing, "image-missing", never, "the registry has no such image"},
    {CauseCode::image_forbidden, "image-forbidden", never,
     "the image does not exist, or the registry requires credentials for it"},
    {CauseCode::image_rate_limited, "image-rate-limited", waits,
     "the registry has limited how often images are pulled"},
    {CauseCode::image_unreachable, "image-unreachable", waits, "the image cannot be pulled now"},
    {CauseCode::image_never_pulled, "image-never-pulled", never,
     "the image is not on the node, and must not be pulled"},
    {CauseCode::image_platform, "image-platform", never,
     "the image, or a program in it, is for another processor, or its program is a script without #!"},
    {CauseCode::secret_missing, "secret-missing", never,
     "a Secret that the job uses does not exist, or lacks a key"},
    {CauseCode::config_map_missing, "config-map-missing", never,
     "a ConfigMap that the job uses does not exist, or lacks a key"},
    {CauseCode::container_config, "container-config", never, "a container's configuration is invalid"},
    {CauseCode::volume_mount, "volume-mount", waits, "a volume cannot be mounted"},
    {CauseCode::pod_sandbox, "pod-sandbox", waits, "a node cannot set up the pod, for example its network"},
    {CauseCode::command_cannot_run, "command-cannot-run", never, "the container's command cannot be run"},
    {CauseCode::init_container_fails, "init-container-fails", never, "an init container fails repeatedly"},
    {CauseCode::init_container_runs, "init-container-runs", starting, "an init container is running"},
    {CauseCode::crash_loop, "crash-loop", never, "a container crashes repeatedly"},
    {CauseCode::disk_full, "disk-full", waits, "the disk of a node is full"},
    {CauseCode::starting, "starting", starting,
     "the job's pods are starting; images and volumes may still be prepared"},
    {CauseCode::preempted, "preempted", waits, "a pod was preempted by one with a higher priority"},
    {CauseCode::evicted, "evicted", waits,
     "a pod was stopped by its node, or evicted, for example by a drain of the node"},
    {CauseCode::pod_rejected, "pod-rejected", waits, "a node rejected a pod"},
    {CauseCode::node_lost, "node-lost", waits, "the node of a pod does not answer"},
    {CauseCode::backoff, "backoff", waits, "a pod failed, and the next attempt has not started yet"},
    {CauseCode::restarting, "restarting", starting, "the job's operator is restarting a worker"},
    {CauseCode::stopping, "stopping", starting, "the job's pods are stopping"},
    {CauseCode::stopping_stuck, "stopping-stuck", waits, "a pod has not stopped long after its grace period"},
    {CauseCode::finishing, "finishing", none, "the job has succeeded; its last pods are stopping"},
    {CauseCode::failing, "failing", failed,
     "the job is about to fail: no attempts are left, or its last pods are stopping"},
    {CauseCode::running, "running", none, "the job is running"},
    {CauseCode::idle, "idle", none, "the served program is scaled to zero; the next request starts it"},
    {CauseCode::succeeded, "succeeded", none, "the job has succeeded"},
    {CauseCode::cancelled, "cancelled", none, "the job was cancelled"},
    {CauseCode::out_of_memory, "out-of-memory", failed, "a container ran out of memory"},
    {CauseCode::exit_code, "exit-code", failed, "the program exited with an exit code other than 0"},
    {CauseCode::retries_used_up, "retries-used-up", failed, "too many of the job's pods failed"},
    {CauseCode::time_limit, "time-limit", failed, "the job's time limit was reached"},
    {CauseCode::policy_rule, "policy-rule", failed,
     "a rule of the job's pod failure policy made the job fail"},
    {CauseCode::indexes_failed, "indexes-failed", failed, "some of the job's tasks failed"},
    {CauseCode::too_many_indexes_failed, "too-many-indexes-failed", failed,
     "more tasks failed than are allowed"},
    {CauseCode::failed, "failed", failed, "the job failed, as reported by its controller"},
};

/// The index of each row must equal the value of its enumerator.
constexpr bool rows_follow_the_enum() {
  int at = 0;
  for (const CauseInfo& info : kInfos)
    if (static_cast<int>(info.code) != at++) return false;
  return at == static_cast<int>(CauseCode::failed) + 1;
}
static_assert(rows_follow_the_enum(), "kInfos needs one row for each CauseCode, in the order of the enum");

const CauseInfo& info_of(CauseCode code) {
  return kInfos[static_cast<size_t>(code)];
}

}  // namespace

std::span<const CauseInfo> cause_infos() {
  return std::span(kInfos).subspan(1);
}

std::string_view text_of(CauseCode code) {
  return info_of(code).text;
}

std::string_view name_of(Outlook outlook) {
  constexpr std::array<std::string_view, 5> kNames = {"none", "starting", "waits", "never", "failed"};
  return kNames.at(static_cast<size_t>(outlook));
}

std::string in_words(const Remedy& remedy) {
  return remedy.what + (remedy.command.empty() ? "" : ": `" + remedy.command + "`");
}

Cause make_cause(CauseCode code, std::string brief, std::string summary) {
  return {code, info_of(code).outlook, std::move(brief), std::move(summary)};
}

}  // namespace kml::job
