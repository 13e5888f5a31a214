#include "cli/manual.h"

#include <cctype>
#include <iterator>
#include <span>
#include <string_view>

#include "cli/flag_text.h"
#include "cli/help.h"

namespace kml::cli {

namespace {

constexpr FlagText kOfRoot[] = {
    {"--context",
     "The cluster to use: a context of the kubeconfig, or \"local\" for the embedded server on this "
     "machine. The default is the kubeconfig's current context or, without a kubeconfig, \"local\"."},
    {"--namespace", "The namespace to work in. The default is the context's own namespace, or \"default\"."},
    {"--kubeconfig", "The kubeconfig file to read, instead of those in KUBECONFIG or ~/.kube/config."},
    {"--no-color", "Print no colors, not even on a terminal."},
};

constexpr FlagText kOfSpec[] = {
    {"--image",
     "The container image. On this machine, images are not pulled: `kml local image` sets the program that "
     "runs in place of an image."},
    {"--template",
     "The template to make the job from: a name from `kml template list`, or the path of a file. The default "
     "is \"job\"."},
    {"--name", "The name of the job. If it is not given, kml generates one from the command."},
    {"--env",
     "Sets an environment variable of the command. NAME without a value copies the value from kml's own "
     "environment. May be repeated."},
    {"--code",
     "Copies a folder of code into the container, without the files that git ignores, and starts the command "
     "in that copy. Compressed, the code may be at most 16 MiB. The image needs sh, cat, gzip and tar."},
    {"--chdir",
     "The working directory of the command. It must be an absolute path, except on this machine and with "
     "--code, where a relative one is allowed."},
    {"--array",
     "Runs independent tasks with these numbers: a range (0-99), a list (1-5,8) or a range with a step "
     "(0-90:10). %P lets at most P of them run at a time. Each task finds its number in $KML_TASK. "
     "`kml logs JOB-7` shows the log of task 7."},
    {"--param",
     "Sets a parameter of the template; `kml template show TEMPLATE` lists them. --NAME VALUE does the same, "
     "unless kml has a flag of that name. May be repeated."},
    {"-p", "Sets a parameter of the template. May be repeated."},
    {"--set", "Sets any field of the manifest: --set spec.suspend=true. May be repeated."},
    {"--set-arg",
     "Changes the value of an argument in the command of the run. lr=0.1 changes \"--lr 0.5\", \"--lr=0.5\" "
     "and \"lr=0.5\". May be repeated."},
    {"--failed",
     "Runs only the tasks of the array that have failed, with their numbers. The job must still exist.",
     "kml rerun"},
    {"--gpus", "The number of GPUs for each pod, with an optional type before it: 2, a100:4, mig-1g.5gb:1."},
    {"--nodes",
     "The number of pods, including the master. A template with one pod runs that many copies of it."},
    {"--cpu", "The number of CPUs for each pod: 4, or 500m for half of one."},
    {"--memory", "The memory for each pod: 16Gi."},
    {"--shm", "The size of /dev/shm in each pod: 16Gi. Data loaders with several workers need it."},
    {"--mount",
     "Mounts a volume at a path of the container; \":ro\" makes it read-only. The source is a claim "
     "(pvc/NAME, or pvc/NAME/SUB for a folder in it, which the node creates if it does "
     "not exist), a folder of the node (host/DIR), a Secret (secret/NAME), a ConfigMap (configmap/NAME) or, "
     "on this machine only, a relative folder (./DIR). May be repeated."},
    {"--secret",
     "Sets an environment variable whose value stays out of manifests, records and logs. The value is read "
     "from the variable NAME in kml's environment, from standard input (NAME=-) or from a file (NAME=@FILE). "
     "It is kept in a Secret that is deleted with the job. May be repeated."},
    {"--env-from", "Makes every key of an existing Secret an environment variable. May be repeated."},
    {"--pull-secret", "The Secret with the credentials for pulling the image. May be repeated."},
    {"--node-selector", "Runs the pods only on nodes that have this label. May be repeated."},
    {"--toleration",
     "Lets the pods run on nodes that have this taint. With --gpus, the taint of GPU nodes "
     "(nvidia.com/gpu) is tolerated by default. May be repeated."},
    {"--service-account", "The service account of the pods."},
    {"--queue",
     "The LocalQueue of Kueue that the job waits in. The job is created suspended, and Kueue starts it."},
    {"--priority", "The priority class. A job with a higher class starts first, and may preempt others."},
    {"--after",
     "Starts the job only once another job has succeeded. JOB:failed starts it once that job has failed, "
     "JOB:any however it ends. May be repeated. The embedded server does the waiting. On a cluster, kml "
     "waits before it submits the job; with --in-cluster, a pod waits instead."},
    {"--in-cluster",
     "With --after: creates the job at once, suspended, and a second job, JOB-engine, whose small pod starts "
     "it when the others have ended. The service account of JOB-engine may get, list and watch jobs, and "
     "patch this one. Deleting the job also deletes JOB-engine.",
     "kml submit"},
    {"--engine-image",
     "The image for the pod of --in-cluster. It must have kml on its PATH, and the nodes must be able to "
     "pull it.",
     "kml submit"},
    {"--engine-account",
     "The service account of that pod. By default, kml creates one with a Role that grants only the rights "
     "that it needs.",
     "kml submit"},
    {"--retries",
     "How many times a failed pod is tried again; the default is 0. A preemption is not a failure, and does "
     "not count as a retry."},
    {"--grace",
     "The time that a pod has between SIGTERM and SIGKILL, to save its state. kml's templates set 60s."},
    {"--time-limit", "Stops the job after this time, even if it has not finished: 12h."},
    {"--ttl", "Deletes the job, with its pods and logs, this long after it has ended: 7d."},
    {"--label", "A label of the job and its pods. May be repeated."},
    {"--annotation", "An annotation of the job. May be repeated."},
};

constexpr FlagText kOfSending[] = {
    {"--file",
     "Reads manifests from files, as kubectl does: a file, a folder, or - for standard input. May be "
     "repeated."},
    {"--idempotency-key",
     "Creates at most one job for this key. If the same key is submitted again, kml finds the "
     "earlier job instead of creating another one."},
    {"--input",
     "Gives the job an artifact of an earlier run or job, by its name from `kml artifact list`, or a file or "
     "folder of this machine, whose path begins with \".\" or \"/\". The command finds it at ${in.NAME}. "
     "Quote it, so that your shell does not expand it. May be repeated.",
     "kml submit"},
    {"--store",
     "On a cluster, keeps the outputs on this volume claim, whatever their size, as `kml run --store` does. "
     "The command writes them to ${out.NAME}.",
     "kml submit"},
    {"--output",
     "Saves a result of the job as the artifact JOB/job.NAME when the job has succeeded: the file or folder "
     "at PATH or, without a PATH, what the command writes to ${out.NAME}. A background process saves it; if "
     "that process was killed, `kml run resume JOB` saves it. On a cluster, the result may be at most 4 MiB "
     "without --store. May be repeated. If NAME is an output format (json, yaml, ...), the flag means -o.",
     "kml submit"},
    {"--replace", "Deletes a job of the same name before creating the new one."},
    {"--follow", "Follows the log until the job ends. The exit code is 3 if the job fails."},
    {"--wait",
     "Waits until the job ends or, with -t serve, until the model is ready. The exit code is 3 if it fails."},
    {"--timeout", "With --wait: stops waiting after this time, with exit code 5. The job keeps running."},
    {"--dry-run",
     "Prints the manifests and sends nothing. With --dry-run=server the server checks them, and creates "
     "nothing."},
    {"--test-only",
     "Creates nothing. Prints whether the cluster would accept the job, and whether it could start now, "
     "would have to wait, or could never run."},
    {"--no-check",
     "Skips the checks that the objects that the job refers to exist, that a node is large enough, and that "
     "the fields of the manifests and their values are known."},
    {"--output", "Prints the created objects in this format, or their names."},
    {"-o", "Prints the created objects in this format, or their names.", "kml submit"},
};

constexpr FlagText kOfLogs[] = {
    {"--selector", "Prints the logs of jobs that have these labels: a=b,c!=d,e in (f,g).", "kml logs"},
    {"--sweep", "Prints the logs of all trials of this sweep.", "kml logs"},
    {"--pods", "Prints only pods whose names match. Without a job, it applies to all pods of the namespace.",
     "kml logs"},
    {"--pod-selector",
     "Prints the pods of the namespace that have these labels, whatever jobs they belong to.", "kml logs"},
    {"--rank",
     "Prints only this rank. If several ranks share a pod, prints the lines that begin with the rank's "
     "prefix, [default3]: or [rank3]:.",
     "kml logs"},
    {"--all-ranks", "Prints all ranks, which is also the default.", "kml logs"},
    {"--container", "Prints only this container of each pod. The default is all containers.", "kml logs"},
    {"--attempt", "Prints only the N-th pod of each rank, counted from 1. The default is all of them.",
     "kml logs"},
    {"--previous", "Prints the log of the run before the container's last restart.", "kml logs"},
    {"--tail", "Prints only the last N lines of each pod.", "kml logs"},
    {"--since", "Prints only lines that are younger than this: 90s, 15m, 2h.", "kml logs"},
    {"--since-time", "Prints only lines from this time on: 2026-11-21T14:05:06Z.", "kml logs"},
    {"--until", "Prints only lines up to this time, which is a time or how long ago: 15m.", "kml logs"},
    {"--include",
     "Prints only lines that match. If it is repeated, one match is enough. The syntax is RE2's; (?i) "
     "ignores case.",
     "kml logs"},
    {"--exclude", "Leaves out lines that match. May be repeated.", "kml logs"},
    {"--follow",
     "Prints lines as they come, until all of the jobs have ended. The exit code is 3 if one failed.",
     "kml logs"},
    {"--live",
     "With -f on a terminal, for jobs on a cluster: attaches to each container and shows a line while the "
     "program is still writing it, such as a progress bar. Complete lines still come from the log. This "
     "needs the right to get (since Kubernetes 1.35 also to create) pods/attach. A program that prints a lot "
     "is slowed down while kml does not read, for example after Ctrl-Z or while this machine sleeps. The "
     "embedded server shows such lines without this flag.",
     "kml logs"},
    {"--first-error",
     "Prints which pod died first, its exit code or signal, and its last lines, instead of the log. "
     "With -f, waits until the job has failed.",
     "kml logs"},
    {"--metrics",
     "Prints the latest metrics of each pod and how they changed, instead of the log. It recognizes "
     "loss=0.5, acc: 0.9 and lines of JSON.",
     "kml logs"},
    {"--propagate-exit", "With -f: exits with the code of the container that died first, instead of 3.",
     "kml logs"},
    {"--highlight", "On a terminal, shows the matching text in reverse video.", "kml logs"},
    {"--timestamps", "Prints the time of each line before it.", "kml logs"},
    {"--output",
     "json prints an object for each line. raw prints the lines exactly as they were written, even on a "
     "terminal.",
     "kml logs"},
    {"--raw", "The same as -o raw.", "kml logs"},
    {"--save",
     "Also keeps a complete copy of the log in this folder. If it is interrupted, run the command again to "
     "continue the copy.",
     "kml logs"},
    {"--keep", "Like --save, but in kml's own folder, where `kml logs` finds the logs of deleted jobs.",
     "kml logs"},
    {"--follow", "Prints lines as they come, until the jobs have ended.", "kml sweep logs"},
};

constexpr FlagText kOfJobs[] = {
    {"--mine", "Selects only your own jobs."},
    {"--state", "Selects only jobs in one of these states; separate several with commas."},
    {"--selector", "Selects only jobs that have these labels, with kubectl's syntax: a=b,c!=d,e in (f,g)."},
    {"--user", "Selects only the jobs of this user."},
    {"--since", "Selects only jobs that were submitted less than this long ago: 90s, 15m, 2h, 1d."},
    {"--sort", "Sorts the jobs; \"longest\" is by run time."},
    {"--limit", "Selects at most N jobs: the newest, or the first ones in the order of --sort."},
    {"--limit", "Shows at most N jobs: the first of the queue, or of the order of --sort.", "kml queue"},
    {"--limit", "Shows only the last N runs; the default is 50.", "kml history"},
    {"--all", "Selects all jobs of the namespace."},
    {"--all", "Also shows trials of sweeps and steps of pipelines that have ended.", "kml list"},
    {"--all-namespaces", "Shows the jobs of all namespaces."},
    {"--yes", "Does not ask for confirmation, however many jobs are selected."},
    {"--dry-run", "Only prints which jobs it would change.", "kml cancel"},
    {"--dry-run", "Only prints which jobs it would change.", "kml delete"},
    {"--dry-run", "Only prints which jobs it would change.", "kml suspend"},
    {"--dry-run", "Only prints which jobs it would change.", "kml resume"},
    {"--param", "Sets a parameter of the pipeline. May be repeated.", "kml run"},
    {"--in-cluster",
     "Runs the engine of this run as a job of the cluster, RUN-engine, so that you can shut this machine "
     "down. "
     "It needs --engine-image, and --store pvc/NAME or --journal-volume.",
     "kml run"},
    {"--engine-image",
     "The image for the pod of --in-cluster. It must have kml on its PATH, and the nodes must be able to "
     "pull it.",
     "kml run"},
    {"--engine-account",
     "The service account of that pod. By default, kml creates one with a Role that grants only the rights "
     "that it needs.",
     "kml run"},
    {"--engine", "Prints the log of the run's engine instead, if the run is in the cluster.", "kml run logs"},
    {"--name",
     "The name of the run; the names of its jobs begin with it. The default is the pipeline's name and five "
     "random characters.",
     "kml run"},
    {"--store",
     "On a cluster, pvc/NAME: keeps the outputs of steps on this volume claim, where later steps read them. "
     "Without a store, outputs are sent through the pod's log, and may be at most 4 MiB. "
     "s3://BUCKET/PREFIX: keeps results and files in this bucket, where other machines find them. Pods get "
     "the bucket's key from the Secret in `env-from`, and reach the bucket through an http:// proxy if "
     "HTTPS_PROXY is set in their environment.",
     "kml run"},
    {"--journal-volume",
     "Where the engine in the cluster keeps its journal and the results of steps. The default with --store "
     "is the folder `engine` of that store.",
     "kml run"},
    {"--refresh", "Runs this step again, even if nothing has changed. May be repeated."},
    {"--no-cache", "Runs all steps again, even if nothing has changed."},
    {"--dry-run",
     "Prints for each step whether its earlier result would be reused or the step would run, and why. Runs "
     "nothing.",
     "kml run"},
    {"--until",
     "Runs only this step, the steps that it needs, and the step of onExit. The name of a foreach means all "
     "of its steps. May be repeated.",
     "kml run"},
    {"--keep-going",
     "After a failure, still runs all steps that do not depend on the step that failed. Without it, kml "
     "starts no more steps, and only waits for those that are running. The run fails either way.",
     "kml run"},
    {"--output", "With --dry-run, prints the plan in this format.", "kml run"},
    {"--output", "Prints all details of the runs in this format, or only their names.", "kml run list"},
    {"--output", "Prints all details of the run in this format.", "kml run status"},
    {"--for",
     "What to wait for: end (the default), delete, or condition=NAME, with =STATUS after it for a status "
     "other than True.",
     "kml wait"},
    {"--timeout", "Stops waiting after this time, with exit code 5.", "kml wait"},
    {"--queue", "Shows only jobs in this LocalQueue or ClusterQueue of Kueue.", "kml queue"},
    {"--start", "Shows only waiting jobs, with a rough estimate of when each will start.", "kml queue"},
    {"--progress",
     "Reads the logs of up to 50 jobs, to show when they will end and when they saved their last "
     "checkpoint.",
     "kml queue"},
    {"--watch", "Prints each change, until it is interrupted.", "kml queue"},
    {"--watch", "Prints the table again after each change, until it is interrupted.", "kml list"},
    {"--watch", "Shows the job again after each change, until it has ended.", "kml status"},
    {"--events", "Shows all events of the job and its pods. The default is the newest 10."},
    {"--no-headers", "Leaves out the header line."},
    {"--output", "Prints the objects or their names, or (wide) a table with more columns.", "kml list"},
    {"--output", "Prints the objects or their names, or (wide) a table with more columns.", "kml queue"},
    {"--output", "Prints the objects, or (wide) a table that is not cut to the terminal.", "kml top nodes"},
    {"--output", "Prints the objects, or (wide) a table that is not cut to the terminal.", "kml top jobs"},
    {"--output", "Prints the objects, or (wide) a table that is not cut to the terminal.", "kml top queues"},
    {"--output", "Prints the object or its name.", "kml status"},
    {"--output", "Prints the complete answer in this format.", "kml why"},
    {"--output", "Prints the figures in this format.", "kml eff"},
    {"--output", "Prints all details of the runs or attempts in this format.", "kml history"},
    {"--type", "Shows only GPUs of this type: a100, mig-1g.5gb.", "kml top nodes"},
};

constexpr FlagText kOfOthers[] = {
    {"--force", "Replaces the file or folder at DEST. Without it, nothing is overwritten.",
     "kml artifact get"},
    {"--down", "Shows what was made from the artifact in all runs, instead of what it was made from."},
    {"--output", "Prints the lineage in this format, with full digests.", "kml artifact lineage"},
    {"--output", "Prints the artifacts in this format, or their names.", "kml artifact list"},
    {"--force",
     "Also deletes files that later runs reuse as their results, and pinned artifacts. Steps that reused "
     "them run again when their results are needed.",
     "kml run delete"},
    {"--output", "Prints the data in this format.", "kml template list"},
    {"--output", "Prints the data in this format.", "kml config view"},
    {"--output", "Prints the data in this format.", "kml doctor"},
    {"--output", "Prints the data in this format.", "kml local status"},
    {"--output", "Prints the checks in this format.", "kml local check"},
    {"--output", "Prints the templates and their parameters in this format, if all are valid.",
     "kml template check"},
    {"--output", "Prints the number of proposals, and each difference, in this format.", "kml sweep replay"},
    {"--output", "Prints the data in this format.", "kml config alias"},
    {"--output", "Prints the version as JSON, with a release's commit, the platform, and the features.",
     "kml version"},
    {"--output", "Prints the kubeconfig as JSON or YAML.", "kml local kubeconfig"},
    {"--origin", "Shows where each value comes from: a flag, a variable, or the line of a file."},
    {"--remove", "Removes this alias.", "kml config alias"},
    {"--list", "Lists the trusted files, and whether they have changed since.", "kml trust"},
    {"--revoke", "Stops trusting the file.", "kml trust"},
    {"--fake-gpus",
     "Pretends that this machine has N GPUs, with an optional type as in --gpus of submit. The default "
     "is the GPUs that NVML finds."},
    {"--cpu", "How many CPUs the pods may request together. The default is all CPUs of the machine.",
     "kml local up"},
    {"--memory",
     "How much memory the pods may request together: 16Gi. The default is the memory of the machine.",
     "kml local up"},
    {"--node-label", "Gives the node a label. May be repeated."},
    {"--log-limit",
     "How much of a container's log is kept, for each run of the container; the default is 1Gi."},
    {"--pod-max-pids",
     "How many processes and threads a pod may have. The default is a quarter of the machine's "
     "limit, and at most 32768."},
    {"--port", "The port to listen on, at the loopback address. The default is any free port."},
    {"--stop-jobs", "Suspends the jobs first: their pods get SIGTERM, and their grace period to end."},
    {"--force", "Like --stop-jobs, but kills a server that has not answered for 10 seconds."},
};

/// The text for the flag of the command `path`; nullptr if there is none.
const FlagText* text_in(std::span<const FlagText> texts, std::string_view name, std::string_view path) {
  for (const FlagText& text : texts)
    if (text.name == name && text.path == path) return &text;
  return nullptr;
}

const FlagText* flag_text(std::string_view name, std::string_view path) {
  const std::span<const FlagText> all[] = {kOfRoot,
                                           kOfSpec,
                                           kOfSending,
                                           kOfLogs,
                                           kOfJobs,
                                           kOfOthers,
                                           flag_texts_of_streams(),
                                           flag_texts_of_runs(),
                                           flag_texts_of_schedules(),
                                           flag_texts_of_serve(),
                                           flag_texts_of_accounting()};
  for (const auto texts : all)
    if (const FlagText* text = text_in(texts, name, path)) return text;
  // A sweep's --param is a search parameter, not a template's. A sweep shares the texts of the job's flags.
  const bool is_sweep = path.starts_with("kml sweep");
  if (is_sweep && name == "--param") return nullptr;
  for (const auto texts : std::span(all).first(is_sweep ? 2 : std::size(all)))
    if (const FlagText* text = text_in(texts, name, "")) return text;
  return nullptr;
}

/// Turns a phrase into a sentence.
std::string sentence(std::string text) {
  if (text.empty()) return text;
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text.ends_with(".") ? text : text + ".";
}

}  // namespace

bool has_manual_text(const Option& option, const std::string& path) {
  return flag_text(option.long_name(), path) != nullptr;
}

std::string manual_text(const Option& option, const std::string& path) {
  const FlagText* found = flag_text(option.long_name(), path);
  std::string text = found ? std::string(found->sentences) : sentence(option.help);
  if (const std::string choices = shown_choices(option); !choices.empty())
    text += " O" + choices.substr(choices.find("ne of")) + ".";
  return text;
}

}  // namespace kml::cli
