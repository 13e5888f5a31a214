#include "jobs/why/codes.h"

#include <algorithm>
#include <array>

namespace kml::jobs {

namespace {

using enum Outlook;

constexpr CauseCode kCodes[] = {
    {code::kSuspended, never, "suspended by somebody; `kml resume` starts it"},
    {code::kQueuePending, waits, "Kueue has not yet said anything about it"},
    {code::kQueueQuota, waits, "its queue's quota is in use"},
    {code::kQueueTooLarge, never, "asks for more than its queue ever has"},
    {code::kQueueMissing, never, "its queue, or that queue's cluster queue, does not exist"},
    {code::kQueueStopped, waits, "its queue has been stopped"},
    {code::kQueueFlavor, never, "no flavor of its queue fits its node selector and tolerations"},
    {code::kQueueTopology, waits, "no rack or block has enough adjacent room"},
    {code::kQueuePreempting, waits, "next: jobs of lower priority are being stopped for it"},
    {code::kQueueCheck, waits, "has its quota, and waits for an admission check"},
    {code::kQueuePreempted, waits, "was stopped for another job, and is back in its queue"},
    {code::kQueueNotReady, waits, "its pods were not ready in time; it is back in its queue"},
    {code::kQueueGaveUp, never, "Kueue has deactivated it"},
    {code::kControllerMissing, never, "no controller has looked at it: its operator does not run"},
    {code::kNoPods, waits, "has no pods yet, and nothing says why"},
    {code::kQuota, waits, "a quota of its namespace is used up"},
    {code::kQuotaTooSmall, never, "asks for more than a quota of its namespace allows in all"},
    {code::kQuotaWantsLimits, never,
     "a quota of its namespace wants requests or limits that it does not set"},
    {code::kLimitRange, never, "a limit range of its namespace does not allow what a pod asks for"},
    {code::kPodSecurity, never, "the pod security standard of its namespace forbids its pods"},
    {code::kAccountMissing, never, "its service account does not exist"},
    {code::kPriorityMissing, never, "its priority class does not exist"},
    {code::kPodsRefused, never, "the server refuses its pods"},
    {code::kSchedulingGate, waits, "its pods are held by a scheduling gate"},
    {code::kScheduling, starting, "the scheduler has not yet looked at its pods"},
    {code::kNoNodes, never, "there are no nodes"},
    {code::kNodeSelector, never, "no node has the labels that it asks for"},
    {code::kTooLarge, never, "a pod asks for more than any node has"},
    {code::kTaint, never, "the nodes that would do are reserved by a taint"},
    {code::kCordoned, waits, "the nodes that would do are cordoned"},
    {code::kNodesNotReady, waits, "the nodes that would do are not ready"},
    {code::kHeld, waits, "what it asks for is there, and in use"},
    {code::kUnschedulable, waits, "no node takes its pods, for several reasons"},
    {code::kPodAffinity, waits, "pod affinity, anti-affinity or topology spread finds no node"},
    {code::kHostPort, waits, "the port that it asks for is in use on all nodes that would do"},
    {code::kVolumeMissing, never, "a volume claim that it mounts does not exist"},
    {code::kVolumePending, waits, "a volume claim that it mounts is not bound"},
    {code::kVolumePlace, waits, "its volume can be had on other nodes than those that would do"},
    {code::kScalingUp, starting, "no node today has room; the cluster is getting one"},
    {code::kNodesClearing, starting, "next: pods of lower priority are being stopped for it"},
    {code::kImageName, never, "the image's name is not valid"},
    {code::kImageMissing, never, "the registry has no such image"},
    {code::kImageForbidden, never, "the registry asks for credentials"},
    {code::kImageUnreachable, waits, "the image cannot be pulled now"},
    {code::kImageNeverPulled, never, "the image is not on the node, and must not be pulled"},
    {code::kSecretMissing, never, "a Secret that it uses does not exist, or has no such key"},
    {code::kConfigMapMissing, never, "a ConfigMap that it uses does not exist, or has no such key"},
    {code::kContainerConfig, never, "a container's configuration is not valid"},
    {code::kMount, waits, "a volume cannot be mounted"},
    {code::kCannotRun, never, "the container's command cannot be run"},
    {code::kInitFails, never, "an init container fails again and again"},
    {code::kInitRuns, starting, "an init container runs"},
    {code::kCrashLoop, never, "it crashes again and again"},
    {code::kDiskFull, waits, "the disk of its node is full"},
    {code::kStarting, starting, "on its node; image and volumes are being made ready"},
    {code::kPreempted, waits, "a pod was stopped for one of higher priority"},
    {code::kEvicted, waits, "a pod was stopped by its node, or drained from it"},
    {code::kBackoff, waits, "a pod failed; the next attempt waits a while"},
    {code::kRestarting, starting, "its operator is restarting a worker"},
    {code::kStopping, starting, "its pods are stopping"},
    {code::kFinishing, none, "has succeeded; its last pods are stopping"},
    {code::kFailing, failed, "has failed; its last pods are stopping"},
    {code::kRunning, none, "runs"},
    {code::kSucceeded, none, "has succeeded"},
    {code::kCancelled, none, "was cancelled"},
    {code::kOutOfMemory, failed, "a container ran out of memory"},
    {code::kExitCode, failed, "the program ended with an exit code that is not 0"},
    {code::kRetriesUsedUp, failed, "too many of its pods failed"},
    {code::kTimeLimit, failed, "its time limit was reached"},
    {code::kPolicyRule, failed, "a rule of its pod failure policy ended it"},
    {code::kIndexesFailed, failed, "some of its indexes failed"},
    {code::kTooManyIndexesFailed, failed, "more indexes failed than are allowed"},
    {code::kFailed, failed, "it failed, as its controller says"},
};

}  // namespace

std::span<const CauseCode> cause_codes() {
  return kCodes;
}

std::string_view name_of(Outlook outlook) {
  constexpr std::array<std::string_view, 5> kNames = {"none", "starting", "waits", "never", "failed"};
  return kNames.at(static_cast<size_t>(outlook));
}

Cause make_cause(std::string_view code, std::string brief, std::string summary) {
  const CauseCode* known = std::find_if(std::begin(kCodes), std::end(kCodes),
                                        [&](const CauseCode& entry) { return entry.code == code; });
  return {code, known->outlook, std::move(brief), std::move(summary)};
}

}  // namespace kml::jobs
