#include "pipeline/commands/run_sections.h"

namespace kml::cli {

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

}  // namespace kml::cli
