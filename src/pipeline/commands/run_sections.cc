#include "pipeline/commands/run_sections.h"

namespace kml::cli {

std::vector<ManualSection> sections_of_run() {
  return {
      {"When a step runs again",
       R"(A step runs again if something that it depends on has changed. A step depends on its command, the variables
and parameters that it uses, the content of its inputs, its code files, and its program. A file with a new time but the
same content has not changed. If a step produces the same outputs as before, the steps after it do not run again.

For a link that leads out of the code, kml also compares the link's target. kml compares the code when a step
starts and when it has ended: if a file changed meanwhile, the result is not kept for later runs.

On this machine, a step also depends on Python if its command, or a script that the command names, mentions Python, or
if VIRTUAL_ENV, CONDA_PREFIX, PYTHONPATH or PYTHONHOME is set. kml then compares the interpreter, these variables, the
names and versions of the installed packages, and the modules in the folders of PYTHONPATH and of packages that are
installed in place. kml does not notice a change deep in an installed package, in other libraries of the system, or in
another program that the command starts. After such a change, give the step another `cache: {salt: TEXT}`.

Images are compared by name, not by content. To run a step again when its image changes, give the image with its
digest.)"},
      {"Recorded steps",
       R"(With --record, kml records which files of FILE's folder each step reads on this machine. In later runs, with
--record or without it, kml compares only the content of the folder that such a step would read. Edits of other
files, new log files, notebooks and scripts have no effect, and --dry-run prints `train.py changed (read by train)`.

The record lists each file that the step, or a program started by it, opens, tests, executes, or looks for in
vain. The record also contains the links in the paths of these files, and the names and kinds of the entries in each
folder that the step listed. If Python searches a folder for modules, only the names of the modules, packages and
subfolders in it are recorded; if kml is not certain that Python listed the folder for this purpose, all names are
recorded. kml compares each file with its state when the step first accessed it. The mode is compared only if the step
asked for the mode. If a call, such as mkdir or the creation of a lock file, depends on whether something is at a path, the record
says what was there. A file that the step itself wrote before reading it is not recorded, and files that the step left
behind do not make the step run again. Files that steps of the pipeline created are left out of the recorded listings.

A new modification time without new content has no effect, nor do changes to files that git ignores, to *.pyc files, and
to files in __pycache__ folders. Outside a git repository, the folders .venv, venv, .tox, node_modules, .hg, .svn,
.mypy_cache, .ruff_cache, .pytest_cache and .ipynb_checkpoints are left out like ignored files, even if the step reads
them.

In some cases, all files of the folder are compared, as without --record, and `kml run` prints the reason. For example, the step
does something that cannot be followed, such as mounting a file system; it runs in a copy of its code (`code`); it mounts
files of the folder, or others in their place; it has several pods; or the kernel does not allow recording, for which
Linux 5.6 is needed. If a file changes after kml has read it, but before the step reads it, kml does not keep the
step's result.

kml does not record files that another program, such as the daemon of a container engine, reads for the step.
Answers that a step gets over the network or from a socket are not compared, with or without --record; `cache: false`
in the step makes it run each time. In a recorded step, io_uring is not available, and programs such as sudo work only
if kml runs as root. Each system call with a path takes about 10 microseconds longer.)"},
      {"Code, data and outputs",
       R"(On this machine, a command starts in the folder of FILE. The code of a step consists of the files in that
folder that git does not ignore, and the files that its command names. In a step, `code: {paths: [train.py, lib]}` selects some of them. For
data that no step makes, use an input {path: FILE}.

An output of kind `file` must be a file, and an output of kind `folder` must be a folder. A dataset, a model or an
artifact can be a file or a folder. A command that writes an output to a fixed path declares the path: {path:
report.txt, kind: file}. On this machine, such an output is not part of the step's code, nor of the code of steps that
do not wait for this step.)"},
      {"Conditions",
       R"(`when` is a condition on parameters, and on values and metrics of earlier steps. A condition can use
the operators && || ! < <= > >= == != + - * / ( ), and the functions len, min, max and isnan. Numbers are compared
as numbers, and texts as texts. If a number is compared with a text that looks like a number, the text is
converted; the same is true of booleans. If a step writes 1, `a.v == 1` and `a.v == "1"` are both true. A
quoted text such as "3.10" stays a text, because the number would be written 3.1.

A step is skipped if its condition is false, or if one of its inputs was not made.)"},
      {"Kubeflow pipelines",
       R"(FILE can be a pipeline compiled by the Kubeflow SDK (kfp 2): `kml run compiled.yaml -p trees=50`. The tasks
of a compiled pipeline become steps. If a field is not supported, kml rejects the file, and names
the field.

On a cluster, a component runs in its image, and the component's command installs the packages there. kml.yaml can set
variables for pip: `env: {PIP_INDEX_URL: ...}`. On this machine, components run without their images. kml installs
each list of packages once, into an environment that `kml env list`, `kml env verify` and `kml env gc` know.

If the pipeline has an artifact as an input, pass a file or folder on this machine: `-p data=FILE`, relative to the
compiled file's folder. The URI of an importer is also a path on this machine. A claim that a task creates (CreatePVC)
remains after the run until a task removes it (DeletePVC). DeletePVC removes only claims that a kml run created.)"},
      {"Steps on a cluster",
       R"(A step runs in its image, with only the files of `code`. Without --store, its inputs are copied as Secrets, and its
outputs come back through its pod's log. Its inputs may have at most 4 MiB in all, and so may its outputs.

With --store pvc/NAME, outputs of any size stay on a volume that the pods mount, below v1/data. If only one node at a
time can mount the volume (ReadWriteOnce), steps that run at the same time share a node. Files and artifacts from this
machine are copied to the volume once, into v1/inputs, by a pod with the step's image. Sweep trials and served models
can read only files on a volume of --store pvc/NAME.)"},
      {"Results in a bucket",
       R"(With --store s3://BUCKET/PREFIX, kml keeps results and files in that bucket. Another machine with the same
store reuses the results instead of running the steps, and downloads a file only when a step reads it. Files with the
same content are uploaded once. A result becomes visible when all of its files are in the bucket. If a file of a result
is missing, the step of that result runs again.

kml finds keys, region and server as the AWS CLI does. The key comes from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY,
from AWS_PROFILE and ~/.aws, from a web identity, or from the role of a container or machine. AWS_REGION sets
the region, and AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL sets a server other than AWS.

On a cluster, the pods copy inputs from the bucket and outputs to it. The pods' key comes from a Secret that has these
variables (`env-from: [NAME]` in the pipeline file or in kml.yaml), or from the identity of their service account or
node. Pods use this machine's region and server. If pods must use another region or server, put AWS_REGION or
AWS_ENDPOINT_URL into the Secret. Pods use an http:// proxy if HTTPS_PROXY is set in their environment. Pods trust the
CA certificates in AWS_CA_BUNDLE. Without this variable, they trust the CA certificates of the image or, if the image
has none, this machine's CA certificates.)"},
      {"Schedules",
       R"(With --cron, --every or --at, kml creates a schedule. Each start is a separate run, whose name starts with that of the
schedule, and which repeats only steps that have changed since the last start. In a step, ${run.scheduled} is the scheduled time of its run. On
this machine, each start executes `kml run` in the current folder.

On a cluster, a schedule needs --in-cluster. Each start then creates a job that is the engine of the run. The code and
input files are copied once, when you create the schedule. When the cluster deletes the job of a run's engine, it also
deletes the run. The jobs of the run's steps and the run's files on the volume stay; with `ttl: 7d` in kml.yaml, the
cluster deletes the jobs a week after they have finished.)"},
      {"The engine in the cluster",
       R"(With --in-cluster, kml runs as a job with one small pod, and keeps its journal and results on a volume. All `kml run`
commands work from any machine. kml first copies code, templates and inputs from this machine, at most 16 MiB when
compressed. Outputs are kept on the journal's volume, at most 4 MiB per step. With --store pvc/NAME, inputs and outputs
can have any size, and the journal is on the store's volume. The engine also runs the sweeps of its steps: `kml logs -l
kml.dev/sweep=RUN-STEP` prints the logs of their trials.

The engine's account needs these rights:

- create, get, list, watch and patch jobs (or the kinds of objects that the steps create)
- get, list, watch and patch pods; get pods/log and volume claims
- create, get, patch and delete config maps, and list and watch the run's config map; create, get and patch secrets
- if the cluster starts pods in gangs: create, get, patch and delete pod groups
- for CreatePVC and DeletePVC: create, get, list, watch, patch and delete volume claims
- to serve a model: create, get, list, watch, patch and update deployments; create, get, list, watch and patch services; list and
watch replica sets, and patch them to roll back; list events; create services/proxy)"}};
}

}  // namespace kml::cli
