#pragma once

#include <string_view>

namespace kml::api {

// Labels and annotations that kml sets.
inline constexpr std::string_view kManagedBy = "app.kubernetes.io/managed-by";  ///< label, value "kml"
inline constexpr std::string_view kSubmitId = "kml.dev/submit-id";   ///< label: identifies one submit
inline constexpr std::string_view kUser = "kml.dev/user";            ///< label: who submitted
inline constexpr std::string_view kCommand = "kml.dev/command";      ///< annotation: argv, shell-quoted
inline constexpr std::string_view kCancelled = "kml.dev/cancelled";  ///< annotation: time of `kml cancel`

inline constexpr std::string_view kSweep = "kml.dev/sweep";  ///< label: the name of the sweep
inline constexpr std::string_view kTrial = "kml.dev/trial";  ///< label: the number of the sweep's trial
inline constexpr std::string_view kRung = "kml.dev/rung";    ///< label: how many times the trial was promoted
inline constexpr std::string_view kParameters = "kml.dev/parameters";  ///< annotation: parameters, as JSON
inline constexpr std::string_view kJournalPart =
    "kml.dev/journal-part";  ///< label: the number of a part of the journal's copy

inline constexpr std::string_view kRun = "kml.dev/run";  ///< label: the name of a pipeline's run
inline constexpr std::string_view kStartGuard =
    "kml.dev/start-guard";  ///< label of a Job without pods: the schedule of --at that it owns
inline constexpr std::string_view kServe =
    "kml.dev/serve";  ///< label of a Deployment, its pods and its Service: the name given to kml serve
inline constexpr std::string_view kActivator =
    "kml.dev/activator";  ///< label: the served program for which the pod holds requests
inline constexpr std::string_view kStep = "kml.dev/step";  ///< label: the step that the job executes
inline constexpr std::string_view kVolume =
    "kml.dev/volume";  ///< label: the uid of a claim whose volume only one node can mount

// Annotations with which kml submit passes settings to the embedded server, on a pod template.
inline constexpr std::string_view kWorkingFolder = "kml.dev/working-folder";  ///< absolute path
inline constexpr std::string_view kEnvironment =
    "kml.dev/environment";  ///< JSON object: the caller's PATH, HOME, …
inline constexpr std::string_view kAfter =
    "kml.dev/after";  ///< annotation: what the job waits for (dependency.h)
inline constexpr std::string_view kTasks =
    "kml.dev/tasks";  ///< annotation of pods: the array's spec::TaskNumbers
inline constexpr std::string_view kGang = "kml.dev/gang";  ///< "true": start all its pods together or none

// Set by the embedded server.
inline constexpr std::string_view kGpuSlots = "kml.dev/gpus";  ///< annotation of a pod: "0,1"
/// Annotation of a pod: for each containerPort that this machine replaced, "8080=23456,…".
inline constexpr std::string_view kPorts = "kml.dev/ports";
inline constexpr std::string_view kPreemptedBy =
    "kml.dev/preempted-by";  ///< annotation of a pod: its preemptor's job, NAME or NAMESPACE/NAME
inline constexpr std::string_view kAttempt =
    "kml.dev/attempt";  ///< annotation of an AttemptEnded event: JSON; label of a trial's job: a number

// Set by the Job controller and the training operator on their pods.
inline constexpr std::string_view kJobName = "batch.kubernetes.io/job-name";
inline constexpr std::string_view kLegacyJobName = "job-name";
inline constexpr std::string_view kControllerUid = "batch.kubernetes.io/controller-uid";
inline constexpr std::string_view kLegacyControllerUid = "controller-uid";
inline constexpr std::string_view kCompletionIndex = "batch.kubernetes.io/job-completion-index";
inline constexpr std::string_view kTrainingJobName = "training.kubeflow.org/job-name";
inline constexpr std::string_view kTrainingOperatorName = "training.kubeflow.org/operator-name";
inline constexpr std::string_view kReplicaType =
    "training.kubeflow.org/replica-type";  ///< "master", "worker"
inline constexpr std::string_view kReplicaIndex = "training.kubeflow.org/replica-index";
inline constexpr std::string_view kJobRole =
    "training.kubeflow.org/job-role";  ///< "launcher", "worker" of an MPIJob

// Set by the JobSet controller on pods, even for the JobSet of a TrainJob.
inline constexpr std::string_view kJobSetName = "jobset.sigs.k8s.io/jobset-name";
inline constexpr std::string_view kReplicatedJobName = "jobset.sigs.k8s.io/replicatedjob-name";
inline constexpr std::string_view kJobIndex = "jobset.sigs.k8s.io/job-index";

inline constexpr std::string_view kKueueQueue = "kueue.x-k8s.io/queue-name";

/// The text of a line that stands for lines missing from a log: the embedded server removed them before they
/// were read. This line has no timestamp. In a log requested with timestamps, no container can print such a
/// line.
inline constexpr std::string_view kLostLogNotice = "kml: lines are missing here: ";

}  // namespace kml::api
