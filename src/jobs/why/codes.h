#pragma once

#include "kml/jobs/why/cause.h"

namespace kml::jobs {

/// The stable names of causes.
namespace code {
inline constexpr std::string_view kSuspended = "suspended";
inline constexpr std::string_view kQueuePending = "queue-pending";
inline constexpr std::string_view kQueueQuota = "queue-quota";
inline constexpr std::string_view kQueueTooLarge = "queue-too-large";
inline constexpr std::string_view kQueueMissing = "queue-missing";
inline constexpr std::string_view kQueueStopped = "queue-stopped";
inline constexpr std::string_view kQueueFlavor = "queue-flavor";
inline constexpr std::string_view kQueueTopology = "queue-topology";
inline constexpr std::string_view kQueuePreempting = "queue-preempting";
inline constexpr std::string_view kQueueCheck = "queue-check";
inline constexpr std::string_view kQueuePreempted = "queue-preempted";
inline constexpr std::string_view kQueueNotReady = "queue-not-ready";
inline constexpr std::string_view kQueueGaveUp = "queue-gave-up";
inline constexpr std::string_view kControllerMissing = "controller-missing";
inline constexpr std::string_view kNoPods = "no-pods";
inline constexpr std::string_view kQuota = "quota";
inline constexpr std::string_view kQuotaTooSmall = "quota-too-small";
inline constexpr std::string_view kQuotaWantsLimits = "quota-wants-limits";
inline constexpr std::string_view kLimitRange = "limit-range";
inline constexpr std::string_view kPodSecurity = "pod-security";
inline constexpr std::string_view kAccountMissing = "service-account-missing";
inline constexpr std::string_view kPriorityMissing = "priority-class-missing";
inline constexpr std::string_view kPodsRefused = "pods-refused";
inline constexpr std::string_view kSchedulingGate = "scheduling-gate";
inline constexpr std::string_view kScheduling = "scheduling";
inline constexpr std::string_view kNoNodes = "no-nodes";
inline constexpr std::string_view kNodeSelector = "node-selector";
inline constexpr std::string_view kTooLarge = "too-large";
inline constexpr std::string_view kTaint = "taint";
inline constexpr std::string_view kCordoned = "cordoned";
inline constexpr std::string_view kNodesNotReady = "nodes-not-ready";
inline constexpr std::string_view kHeld = "resources-held";
inline constexpr std::string_view kUnschedulable = "unschedulable";
inline constexpr std::string_view kPodAffinity = "pod-affinity";
inline constexpr std::string_view kHostPort = "host-port";
inline constexpr std::string_view kVolumeMissing = "volume-missing";
inline constexpr std::string_view kVolumePending = "volume-pending";
inline constexpr std::string_view kVolumePlace = "volume-place";
inline constexpr std::string_view kScalingUp = "scaling-up";
inline constexpr std::string_view kNodesClearing = "preempting";
inline constexpr std::string_view kImageName = "image-name-invalid";
inline constexpr std::string_view kImageMissing = "image-missing";
inline constexpr std::string_view kImageForbidden = "image-forbidden";
inline constexpr std::string_view kImageUnreachable = "image-unreachable";
inline constexpr std::string_view kImageNeverPulled = "image-never-pulled";
inline constexpr std::string_view kSecretMissing = "secret-missing";
inline constexpr std::string_view kConfigMapMissing = "config-map-missing";
inline constexpr std::string_view kContainerConfig = "container-config";
inline constexpr std::string_view kMount = "volume-mount";
inline constexpr std::string_view kCannotRun = "command-cannot-run";
inline constexpr std::string_view kInitFails = "init-container-fails";
inline constexpr std::string_view kInitRuns = "init-container-runs";
inline constexpr std::string_view kCrashLoop = "crash-loop";
inline constexpr std::string_view kDiskFull = "disk-full";
inline constexpr std::string_view kStarting = "starting";
inline constexpr std::string_view kPreempted = "preempted";
inline constexpr std::string_view kEvicted = "evicted";
inline constexpr std::string_view kBackoff = "backoff";
inline constexpr std::string_view kRestarting = "restarting";
inline constexpr std::string_view kStopping = "stopping";
inline constexpr std::string_view kFinishing = "finishing";
inline constexpr std::string_view kFailing = "failing";
inline constexpr std::string_view kRunning = "running";
inline constexpr std::string_view kSucceeded = "succeeded";
inline constexpr std::string_view kCancelled = "cancelled";
inline constexpr std::string_view kOutOfMemory = "out-of-memory";
inline constexpr std::string_view kExitCode = "exit-code";
inline constexpr std::string_view kRetriesUsedUp = "retries-used-up";
inline constexpr std::string_view kTimeLimit = "time-limit";
inline constexpr std::string_view kPolicyRule = "policy-rule";
inline constexpr std::string_view kIndexesFailed = "indexes-failed";
inline constexpr std::string_view kTooManyIndexesFailed = "too-many-indexes-failed";
inline constexpr std::string_view kFailed = "failed";
}  // namespace code

/// With the outlook that the code usually has.
Cause make_cause(std::string_view code, std::string brief, std::string summary);

}  // namespace kml::jobs
