#include "cli/manual_sections.h"

namespace kml::cli {

std::vector<ManualSection> sections_of_logs() {
  return {
      {"Progress bars",
       R"(On a terminal, colors are the only escape sequences that are kept. A progress bar is shown in its last state; with -f
it is redrawn as it changes, below the lines that scroll. A pipe gets the lines exactly as they were written.

How soon a progress bar appears depends on the node: the embedded server and CRI-O send a line before its newline is written,
containerd waits for the newline or for 16 KiB. With --live, kml also attaches to the containers and shows the line at once.)"},
      {"Missing lines",
       R"(kml reports a gap if the embedded server had removed lines before they were read, or if the last line that was read
is no longer in the log that a cluster's node returns.

Two kinds of gaps leave no trace and cannot be reported. A node serves only the newest file of a log (the kubelet's
containerLogMaxSize, 10Mi by default), so lines that were rotated away before kml's first request are missing. Lines that a node
could not write, for example because its disk was full, are missing too.)"}};
}

std::vector<ManualSection> sections_of_run() {
  return {
      {"When a step runs again",
       R"(A step runs again if something that it depends on has changed: its command, the variables and parameters that it
uses, the content of its inputs, the files of its code, or its program. A file that was only touched has not changed. If a step
makes exactly what it made before, the steps after it do not run again.

An image counts by its name. To have a step run again when an image changes, give the image by its digest.)"},
      {"Code, data and outputs",
       R"(A command starts in the folder of FILE. The code of a step is what git tracks in that folder, or would track, and
the files that its command names. `code: {paths: [train.py, lib]}` of a step narrows the folder down. Data that no step makes are
an input: {path: FILE}.

An output of kind `file` must be a file, and one of kind `folder` a folder. A dataset, a model or an artifact can be either.)"},
      {"Conditions",
       R"(`when` is a condition on parameters, and on values and metrics of earlier steps. It can use && || ! < <= > >= ==
!= + - * / ( ), len, min and max. Numbers compare as numbers, and texts as texts. Where a number or a boolean meets a text that
looks like one, the text counts as one: if a step writes 1, `a.v == 1` and `a.v == "1"` are both true.

A step is skipped if its condition is false, or if an input that it needs was not made.)"},
      {"Pipelines of Kubeflow",
       R"(FILE can be a pipeline that Kubeflow's SDK (kfp 2) compiled: `kml run compiled.yaml -p trees=50`. Its tasks become
steps of the same names. What kml cannot run, it refuses by the name of its field.

On a cluster, a component runs in its image, where its command installs its packages. kml.yaml can give the steps pip's
variables: `env: {PIP_INDEX_URL: ...}`. On this machine, components run without their images. kml makes a virtual environment for
each list of packages, once.

An artifact that the pipeline itself takes is a file or folder of this machine: `-p data=FILE`, relative to the folder of the
compiled file. So is what an importer names. A claim that a task makes (CreatePVC) stays until a task removes it (DeletePVC),
which kml does only to claims of its own runs.)"},
      {"Steps on a cluster",
       R"(A step runs in its image, with the files of `code` and no others. Without --store, its inputs are copied as Secrets,
and its outputs come back through the log of its pod, at most 4 MiB each.

With --store pvc/NAME, outputs of any size stay on a volume that the pods can mount, below v1/data. If only one node at a time
can mount it (ReadWriteOnce), steps that run at the same time share a node. A pod with the step's image copies each file and
artifact of this machine there once, into v1/inputs. The trials of a sweep, and a served model, can read only outputs that are on
such a volume.)"},
      {"Results in a bucket",
       R"(With --store s3://BUCKET/PREFIX, results and files are kept in that bucket. Another machine that names the same
store takes them over instead of running the steps, and fetches a file only when a step reads it. A file is sent once, whatever
its name. A result is seen only once all of its files are there. If one of them was removed, its step runs again.

Keys, region and server are found as AWS's own programs find them: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE and
~/.aws, a web identity, a container's or machine's role; AWS_REGION; AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL for a server that is
not AWS's.

On a cluster, the pods themselves copy inputs from the bucket and outputs to it. Their keys come from a Secret that the file or
kml.yaml names, `env-from: [NAME]`, with keys like those variables, or from the identity of their service account or node. Region
and server are this machine's, unless the Secret has AWS_REGION or AWS_ENDPOINT_URL: pods may reach the server by another name.
They trust the CA certificates in AWS_CA_BUNDLE, otherwise those of the image, otherwise this machine's.)"},
      {"Schedules",
       R"(With --cron, --every or --at, kml creates a schedule. Each start is a run of its own, SCHEDULE-N, in which steps that
have not changed since the last start do not run again. ${run.scheduled} in a step is the time for which its run was scheduled.

On a cluster, a schedule needs --in-cluster: the job of each start is the engine of its run. The code and input files are copied
once, when the schedule is created. When the cluster deletes such a job, it deletes the run too, but neither the jobs of its steps
(`ttl: 7d` in kml.yaml does that) nor what the run has on its volume.)"},
      {"The engine in the cluster",
       R"(With --in-cluster, kml runs as a job of one small pod, whose journal and results are on a volume. All commands of
`kml run` work from any machine. Code, templates and inputs of this machine are copied first, at most 16 MiB when compressed; with
--store, inputs have any size, and go to its volume. Outputs are kept on the journal's volume, at most 4 MiB a step; with --store
they have any size, and the journal is on the same volume. The engine runs the sweeps of its steps itself:
`kml logs -l kml.dev/sweep=RUN-STEP` prints the logs of their trials.

The engine's account needs these rights:

- create, get, list, watch and patch jobs, or the kinds of the steps
- get, list, watch and patch pods; get pods/log and volume claims
- create, get, patch and delete config maps, and list and watch that of the run; create, get and patch secrets
- to serve a model: create, get, list, watch, patch and update deployments; create, get, list, watch and patch services; list and
watch replica sets; list events; create services/proxy)"}};
}

std::vector<ManualSection> sections_of_serve() {
  return {
      {"Scale to zero",
       R"(With --idle, the program is scaled to zero when no request has come for that time, and frees its memory and GPUs. The
next request waits until a replica is ready again. If none becomes ready within two minutes, or if it crashes, the request gets
status 503 with the cause. At most 256 connections wait. Only requests to the printed address count.

On a cluster, a small pod of --engine-image, the activator, takes the requests, also while replicas run. Its account needs these
rights: list, watch and update this Deployment; list and watch this Service and pods. The pod keeps to the host, zone and
architecture that --node-selector names by labels kubernetes.io/… and topology.kubernetes.io/…. If it is killed, its connections
break, and new ones are refused until its next pod is ready.)"}};
}

std::vector<ManualSection> sections_of_sweep_run() {
  return {
      {"Continue a sweep",
       R"(Run the command again to continue a sweep, with a larger budget if you like. Budgets, --goal, --parallel and --retries
keep their old values unless you give them again. If you give neither a file, a command nor parameters, the rest of the sweep does
not change either: kml sweep run lr1 --trials 200.)"},
      {"Many trials as one job",
       R"(Trials that need no earlier results (grid, random, sobol) can be one Indexed Job: --fan-out indexed. Its image needs
sh and sed. On a cluster, this is the default from 1000 trials on.)"},
      {"In the background",
       R"(With --detach, the sweep runs in the background and survives the end of the terminal: `kml sweep attach` shows it
live, and `kml sweep logs NAME --engine` prints its messages. Some systems end all processes of a user at logout;
`loginctl enable-linger` prevents that, and `kml sweep resume` continues a sweep that was ended.)"},
      {"In the cluster",
       R"(With --in-cluster you can shut this machine down: kml runs as a job of one small pod, with its journal on a volume.
All commands of `kml sweep` work from here. Its service account needs these rights:

- create, get, list, watch and patch jobs, or the kind of the trials
- get, list, watch and patch pods; get pods/log
- create, get, patch and delete config maps, and list and watch those of the sweep)"}};
}

ManualSection differences_of_local() {
  return {
      "Differences from a cluster",
      R"(- It has only the kinds that jobs and services need, one node, and no roles: its user may do everything.
- Pods share this machine's network, so replicas must not listen at the same port. In a pod of a ReplicaSet or Deployment, a
variable PORT whose value is a containerPort of its container gets a free port instead; the pod's annotation kml.dev/ports
records it. Probes, Services and port-forward still use the containerPort.
- A Service gets a port of 127.0.0.1, in spec.ports[].nodePort, whatever its type. A process of its own passes each
connection on to the ready pods in turn; a connection waits up to ten seconds for one. It has neither DNS
nor Endpoints. The process outlives the server, as pods do.
- Until a readiness or startup probe succeeds for the first time, it is repeated after a few milliseconds, so that a fast
program is ready at once.
- The only hook is preStop: a command, an HTTP request, or a sleep.
- `kubectl exec`, `cp`, `attach` and `port-forward` need kubectl 1.31 or later, because the server does not speak plain
SPDY. A command ends when its client ends; on a cluster it would keep running. Programs have no standard input to attach
to. Pods share this machine's network, so a forwarded port is a port of this machine.
- A container needs a command, its own or one from `kml local image`.
- Schedules (CronJobs) start jobs only while the server runs. After a time without it, the last missed start is made up
for, if it is not too late.
- Pods get neither an API token nor tolerations for failing nodes, because nothing on this machine would use them.
- `kml local up --pod-max-pids` limits the processes and threads of a pod. If the server runs as root but may not create
cgroups, a pod that exceeds the limit is killed.
- Memory limits are enforced if the server may create cgroups; if not, the pod gets an event MemoryLimitNotEnforced. CPU
limits are not enforced.
- If the server runs as root, containers have root's capabilities unless their securityContext drops them.
- If a field has no effect here, the server refuses it or prints a warning; see "Fields of jobs and pods".
- Each container has the environment variable KML_POD_UID, by which the server finds its processes, even daemons.
- managedFields are not kept, so server-side apply is not available.
- It answers only in JSON. It reads protobuf only from kubectl commands that create objects from flags (create
configmap, create job, auth can-i); other Go clients must be set to send JSON, which all of them can.
- `kubectl explain` does not work, because the server has no descriptions of fields.
- metrics.k8s.io (`kubectl top`, `kml top jobs`) is measured on request, from /proc. When a container ends, the
resources that it used are recorded in its pod's annotation kml.dev/usage, which `kml eff` reads.
- A preempted pod never counts as failed, which is the only sensible policy on one machine.
- If the server runs as root, each container has its own /dev/termination-log, and an empty file of that name stays on
the machine, in memory.
- If the last line of a log has no newline, the server adds one, so that lines of several pods are not joined. A redrawn
progress bar appears in the log at once; a cluster's nodes delay it until 16 KiB have been written.
- Counters of a job's status that are 0 are shown as 0; a cluster leaves them out.
- Invalid input (broken JSON, a selector, a patch) is refused with the same status code, but the message differs.)"};
}

}  // namespace kml::cli
