#pragma once

#include <string_view>

namespace kml::api {

// Labels and annotations that kml sets.
inline constexpr std::string_view kManagedBy = "app.kubernetes.io/managed-by";  ///< label, value "kml"
inline constexpr std::string_view kSubmitId = "kml.dev/submit-id";  ///< label: the id of one submit
/// label: the user who submitted the job
inline constexpr std::string_view kUser = "kml.dev/user";
inline constexpr std::string_view kCommand = "kml.dev/command";  ///< annotation: argv, shell-quoted
/// Annotation: when kml submitted the job, as a metav1.MicroTime. The creation time that the API stores only
/// has whole seconds.
inline constexpr std::string_view kSubmitted = "kml.dev/submitted";
inline constexpr std::string_view kCancelled = "kml.dev/cancelled";  ///< annotation: the time of `kml cancel`
/// The annotation of a job that `kml cancel` ended while it did not run: how long it had run before, in
/// seconds.
inline constexpr std::string_view kRan = "kml.dev/ran";
/// The annotation with the value, as JSON, of the field that `kml suspend` changed and `kml resume` restores.
inline constexpr std::string_view kSuspendedValue = "kml.dev/suspended-value";

inline constexpr std::string_view kSweep = "kml.dev/sweep";  ///< label: the name of the sweep
inline constexpr std::string_view kTrial = "kml.dev/trial";  ///< label: the trial's number in its sweep
inline constexpr std::string_view kRung = "kml.dev/rung";    ///< label: how many times the trial was promoted
inline constexpr std::string_view kParameters = "kml.dev/parameters";  ///< annotation: parameters, as JSON
inline constexpr std::string_view kJournalPart =
    "kml.dev/journal-part";  ///< label: the number of a part of the stored journal

inline constexpr std::string_view kRun = "kml.dev/run";  ///< label: the name of the pipeline run
inline constexpr std::string_view kStartGuard =
    "kml.dev/start-guard";  ///< label of a Job without pods: the name of the --at schedule that it owns
inline constexpr std::string_view kServe =
    "kml.dev/serve";  ///< label of a Deployment, its pods and its Service: the model's name in kml serve
inline constexpr std::string_view kActivator =
    "kml.dev/activator";  ///< label: the model for which the pod holds requests
inline constexpr std::string_view kStep = "kml.dev/step";  ///< label: the pipeline step that the job executes
inline constexpr std::string_view kVolume =
    "kml.dev/volume";  ///< label: the uid of a claim with a volume that only one node can mount

// The annotations of a pod template with which kml submit passes settings to the embedded server.
inline constexpr std::string_view kWorkingFolder = "kml.dev/working-folder";  ///< absolute path
inline constexpr std::string_view kEnvironment =
    "kml.dev/environment";  ///< a JSON object of the caller's variables: PATH, HOME, …
inline constexpr std::string_view kAfter =
    "kml.dev/after";  ///< annotation: the jobs that the job waits for (dependency.h)
inline constexpr std::string_view kTasks =
    "kml.dev/tasks";  ///< annotation of pods: the array's spec::TaskNumbers
/// The annotation of pods on the embedded server with the outputs that the program must write: a JSON object
/// of paths by name. If one is missing at the end, the container fails.
inline constexpr std::string_view kOutputs = "kml.dev/outputs";
/// "true" if the job's pods must all start together
inline constexpr std::string_view kGang = "kml.dev/gang";

// Annotations and labels set by the embedded server.
inline constexpr std::string_view kGpuSlots = "kml.dev/gpus";  ///< annotation of a pod: "0,1"
/// The annotation of a pod with the replaced ports: "8080=23456" means that the containerPort 8080 is port
/// 23456 of this machine.
inline constexpr std::string_view kPorts = "kml.dev/ports";
inline constexpr std::string_view kPreemptedBy =
    /// annotation of a preempted pod: the job that preempted it, as NAME or NAMESPACE/NAME
    "kml.dev/preempted-by";
inline constexpr std::string_view kAttempt =
    /// annotation of an AttemptEnded event: JSON; label of a trial's job: a number
    "kml.dev/attempt";

// Labels and annotations that the Job controller and the training operator set on their pods.
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

// Labels that the JobSet controller sets on pods, including those of a TrainJob's JobSet.
inline constexpr std::string_view kJobSetName = "jobset.sigs.k8s.io/jobset-name";
inline constexpr std::string_view kReplicatedJobName = "jobset.sigs.k8s.io/replicatedjob-name";
inline constexpr std::string_view kJobIndex = "jobset.sigs.k8s.io/job-index";
inline constexpr std::string_view kRestartAttempt = "jobset.sigs.k8s.io/restart-attempt";

inline constexpr std::string_view kKueueQueue = "kueue.x-k8s.io/queue-name";
/// An annotation of pods, from which Volcano reads the queue of a batch/v1 Job.
inline constexpr std::string_view kVolcanoQueueName = "scheduling.volcano.sh/queue-name";

/// The start of a line that the embedded server sends in place of log lines that it removed before they were
/// read. This line has no timestamp. In a log requested with timestamps, no container can print such a line.
inline constexpr std::string_view kLostLogNotice = "kml: lines are missing here: ";

}  // namespace kml::api
