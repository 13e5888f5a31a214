#include "kml/job/spec/setting.h"

namespace kml::spec {

std::span<const Flag> submit_flags() {
  static constexpr Flag kFlags[] = {
      {.name = "template",
       .value = "TEMPLATE",
       .help = "template: a name from `kml template list`, or a file",
       .details = "The template for the job: a name from `kml template list`, or the path of a file. "
                  "[default: job]",
       .heading = "What runs",
       .after = "--image",
       .letter = "-t",
       .key = "template"},
      {.name = "image",
       .value = "IMAGE",
       .help = "container image",
       .details = "The container image. On this machine, images are not pulled: `kml local image` sets the "
                  "program that runs in place of an image.",
       .heading = "What runs",
       .key = "image"},
      {.name = "name",
       .value = "NAME",
       .help = "name of the job; by default, kml generates one",
       .details = "The name of the job. By default, kml generates a name.",
       .heading = "What runs"},
      {.name = "gpus",
       .value = "[TYPE:]N",
       .help = "GPUs per pod: 2, a100:4, 'h100|a100:8', '>=40Gi:1', mig-1g.5gb:1",
       .details =
           "The number of GPUs per pod, after an optional type: 2, a100:4, mig-1g.5gb:1. In 'h100|a100:8', "
           "the types are alternatives, in order of preference; '>=40Gi:1' asks for GPUs with that much "
           "memory. For several types or an amount of memory, kml creates a resource claim if the cluster "
           "has the DeviceClass gpu.nvidia.com; otherwise, it selects nodes by their labels.",
       .heading = "Resources",
       .key = "gpus"},
      {.name = "cpu",
       .value = "QUANTITY",
       .help = "CPUs per pod: 4, 500m",
       .details = "The number of CPUs per pod, such as 4, or 500m for half a CPU.",
       .heading = "Resources",
       .key = "cpu"},
      {.name = "memory",
       .value = "QUANTITY",
       .help = "memory per pod: 16Gi",
       .details = "The memory per pod, such as 16Gi.",
       .heading = "Resources",
       .key = "memory"},
      {.name = "nodes",
       .value = "N",
       .help = "number of pods, including the master",
       .details = "The number of pods, including the master. A template with one pod runs N copies of that "
                  "pod.",
       .heading = "Resources",
       .after = "--gpus",
       .key = "nodes"},
      {.name = "env",
       .value = "NAME[=VALUE]",
       .help = "environment variable; NAME alone copies the value from your environment",
       .details = "Set an environment variable for the command. NAME without a value copies the value from "
                  "your environment. May be repeated.",
       .heading = "What runs",
       .key = "env",
       .repeats = true,
       .is_map = true},
      {.name = "mount",
       .value = "SOURCE:PATH[:ro]",
       .help = "volume: pvc/NAME[/SUB]:/path, new/SIZE:/path, nfs/HOST/DIR:/path, secret/NAME:/path, …",
       .details =
           "Mount a volume at a path in the container; \":ro\" makes it read-only. The source is a "
           "claim (pvc/NAME), a folder in a claim (pvc/NAME/SUB, which is created if needed), a "
           "folder on the node (host/DIR), a folder of an NFS server (nfs/HOST/DIR), the files of an "
           "image (image/IMAGE; read-only, Kubernetes 1.35 or later), a new, empty claim of size SIZE "
           "for each pod (new/SIZE, or new/SIZE:CLASS with a storage class), a Secret "
           "(secret/NAME), a ConfigMap (configmap/NAME) or, on this machine only, a folder "
           "(./DIR). A new claim is deleted with its pod; `kml submit --keep` keeps it. May be repeated.",
       .heading = "Data and secrets",
       .key = "mounts",
       .repeats = true},
      {.name = "data",
       .value = "SOURCE:PATH",
       .help = "fetch data first: https://…#sha256=SUM, hf://…, s3://…, gs://…; see kml-submit(1)",
       .details =
           "Fetch data before the command starts, and mount it read-only at the folder PATH. SOURCE is a "
           "file "
           "(https://HOST/FILE#sha256=SUM), a dataset or a model of Hugging Face "
           "(hf://datasets/ORG/NAME@REVISION, hf://ORG/NAME@REVISION; with /FOLDER, only a part), or the "
           "objects of a bucket (s3://BUCKET/PREFIX, gs://BUCKET/PREFIX). See \"Data\" in kml-submit(1). May "
           "be repeated, with different paths. The data that kml.yaml lists is fetched, too, except for data "
           "with "
           "the same PATH, which the flag replaces. An empty value removes the data that kml.yaml lists.",
       .heading = "Data and secrets",
       .after = "--mount",
       .key = "data",
       .repeats = true},
      {.name = "data-store",
       .value = "pvc/NAME",
       .help = "fetch the data of --data only once, onto this claim",
       .details = "Keep the data of --data on this volume claim. The first pod fetches the data; the other "
                  "pods and later jobs use it. Without a claim, each pod fetches the data.",
       .heading = "Data and secrets",
       .after = "--data",
       .key = "data-store"},
      {.name = "secret",
       .value = "NAME[=-|=@FILE]",
       .help = "secret variable, from your environment, standard input (=-) or a file (=@FILE)",
       .details =
           "Set an environment variable and keep its value out of manifests, records and logs. kml reads the "
           "value from the variable NAME in your environment, from standard input (NAME=-) or from a file "
           "(NAME=@FILE), and stores it in a Secret that is deleted with the job. May be repeated.",
       .heading = "Data and secrets",
       .key = "secrets",
       .repeats = true},
      {.name = "env-from",
       .value = "SECRET",
       .help = "existing Secret whose keys become environment variables",
       .details = "Set an environment variable for every key of an existing Secret. May be repeated.",
       .heading = "Data and secrets",
       .key = "env-from",
       .repeats = true},
      {.name = "shm",
       .value = "QUANTITY",
       .help = "size of /dev/shm: 16Gi",
       .details =
           "The size of /dev/shm in each pod: 16Gi. Data loaders with several workers need a large /dev/shm.",
       .heading = "Resources",
       .key = "shm"},
      {.name = "code",
       .value = "DIR",
       .help = "copy this folder into the container and start the command in it",
       .details = "Copy this folder into the container, without the files that git ignores, and start the "
                  "command in the copy. The code may be at most 16 MiB when compressed. The image needs sh, "
                  "cat, gzip and tar.",
       .heading = "What runs",
       .key = "code"},
      {.name = "uv",
       .value = "false",
       .help = "install the packages in the script's header or pyproject.toml",
       .details =
           "Install the Python packages that the script asks for in its header (`# /// script`, PEP 723) or, "
           "if it has no header, those that the folder's pyproject.toml asks for. If uv has written a lock "
           "file (uv.lock, or SCRIPT.lock), kml installs the versions in that file, and rejects a lock file "
           "that is out of date, as `uv run --locked` does. uv, which you must install on this machine, "
           "determines the versions of all packages. The job's pod installs exactly these versions into a "
           "separate environment, without the packages of the image, and puts that environment's Python "
           "first in PATH. The image needs sh, python3, and uv or pip.",
       .heading = "Packages and images",
       .key = "uv",
       .implied = "true"},
      {.name = "requirements",
       .value = "FILE",
       .help = "install the packages in this requirements file or pyproject.toml, as --uv does",
       .details = "Install the Python packages in this requirements file or pyproject.toml, as --uv does.",
       .heading = "Packages and images",
       .after = "--uv",
       .key = "requirements"},
      {.name = "conda",
       .value = "FILE",
       .help = "install the conda packages in this environment.yml",
       .details = "Install the conda packages that this environment.yml lists, and the Python packages in "
                  "its list for pip. On this machine, py-rattler chooses the versions of the conda packages. "
                  "In the job's pod, py-rattler installs exactly these versions, without running the "
                  "packages' scripts. uv installs py-rattler from your package index. CONDA_CHANNEL_ALIAS "
                  "names another server for channels. For nodes of a cluster, kml assumes glibc 2.28 and, "
                  "with --gpus, a driver for CUDA 12; CONDA_OVERRIDE_GLIBC and CONDA_OVERRIDE_CUDA change "
                  "these versions. The image needs sh, Python 3.10 or later, and uv or pip.",
       .heading = "Packages and images",
       .after = "--requirements",
       .key = "conda"},
      {.name = "extra",
       .value = "NAME",
       .help = "also install this extra of the pyproject.toml",
       .details = "Also install the packages of this extra (optional dependencies) of the pyproject.toml. "
                  "May be repeated.",
       .heading = "Packages and images",
       .after = "--conda",
       .key = "extra",
       .repeats = true},
      {.name = "group",
       .value = "NAME",
       .help = "also install this dependency group of the pyproject.toml",
       .details =
           "Also install the packages of this dependency group of the pyproject.toml. The group dev is "
           "not installed by default. May be repeated.",
       .heading = "Packages and images",
       .after = "--extra",
       .key = "group",
       .repeats = true},
      {.name = "env-store",
       .value = "VOLUME",
       .help = "where pods share installed packages: pvc/NAME[/SUB], host/DIR",
       .details =
           "Keep the environments of --uv, --requirements and --conda on this volume. The volume is a claim "
           "(pvc/NAME), a folder in a claim (pvc/NAME/SUB) or a folder on the node (host/DIR). One "
           "pod installs the packages, and other pods and later jobs use them. Without this flag, each pod "
           "on a cluster installs the packages again. On this machine, environments are kept in "
           "kml's state folder; `kml env list` shows them.",
       .heading = "Packages and images",
       .after = "--group",
       .key = "env-store"},
      {.name = "chdir",
       .value = "PATH",
       .help = "working directory of the command",
       .details = "The working directory of the command. The directory may be relative for jobs on this "
                  "machine, and for "
                  "jobs with --code.",
       .heading = "What runs",
       .letter = "-D",
       .key = "chdir"},
      {.name = "node-selector",
       .value = "KEY=VALUE",
       .help = "label that a node must have",
       .details = "Run the pods only on nodes that have this label. May be repeated.",
       .heading = "Where it runs",
       .key = "node-selector",
       .repeats = true,
       .is_map = true},
      {.name = "toleration",
       .value = "KEY[=VALUE][:EFFECT]",
       .help = "taint to tolerate; with --gpus, that of GPU nodes is tolerated by default",
       .details = "Let the pods run on nodes that have this taint. With --gpus, the taint of GPU nodes "
                  "(nvidia.com/gpu) is tolerated by default. May be repeated.",
       .heading = "Where it runs",
       .key = "tolerations",
       .repeats = true},
      {.name = "priority",
       .value = "CLASS",
       .help = "priority class",
       .details = "The priority class. A job with a higher priority starts first, and may preempt others.",
       .heading = "Queue and priority",
       .after = "--queue",
       .key = "priority"},
      {.name = "queue",
       .value = "QUEUE",
       .help = "Kueue or Volcano queue",
       .details = "The queue to submit the job to. The queue is a Kueue LocalQueue or, for a Volcano job (-t "
                  "volcano, or a manifest whose schedulerName is volcano), a Volcano queue. With Kueue, the "
                  "job is created suspended, and Kueue starts it.",
       .heading = "Queue and priority",
       .key = "queue"},
      {.name = "topology",
       .value = "LEVEL",
       .help = "place all pods in one rack, block or other Kueue topology level: rack, rack:preferred",
       .details = "Place all pods in one domain of this level of Kueue's Topology. LEVEL is the node "
                  "label of a level, or the end of one, such as `rack` or `block`. With `rack:preferred`, "
                  "the pods may be in several racks if no rack has room for all of them. This flag needs "
                  "--queue.",
       .heading = "Queue and priority",
       .after = "--queue",
       .key = "topology"},
      {.name = "retries",
       .value = "N",
       .help = "how often to retry a failed pod; usually, preemptions do not count [default: 0]",
       .details = "How many times to retry a failed pod. With most templates, a preemption is not a failure, "
                  "and does not use up a retry. If a Job has several nodes, each rank has this many retries, "
                  "and the job fails when a rank has used up its retries and fails again. With the templates "
                  "jobset and volcano, a retry restarts all ranks. [default: 0]",
       .heading = "Retries and time limits",
       .key = "retries"},
      {.name = "grace",
       .value = "DURATION",
       .help = "time between SIGTERM and SIGKILL: 120s [default in most templates: 60s]",
       .details = "How long a pod has between SIGTERM and SIGKILL to save its state. By default, the pods of "
                  "most templates have 60s, and other pods Kubernetes' 30s.",
       .heading = "Retries and time limits",
       .after = "--time-limit",
       .key = "grace"},
      {.name = "time-limit",
       .value = "DURATION",
       .help = "stop the job after this time: 12h",
       .details = "Stop the job after this time, such as 12h, even if it has not finished. In a JobSet, each "
                  "attempt has this limit.",
       .heading = "Retries and time limits",
       .key = "time-limit"},
      {.name = "ttl",
       .value = "DURATION",
       .help = "delete the job this long after it has finished: 7d",
       .details = "Delete the job, with its pods and logs, this long after it has finished, such as 7d.",
       .heading = "Retries and time limits",
       .key = "ttl"},
      {.name = "label",
       .value = "KEY=VALUE",
       .help = "label of the job and its pods",
       .details = "Add a label to the job and its pods. May be repeated.",
       .heading = "Labels and identity",
       .key = "labels",
       .repeats = true,
       .is_map = true},
      {.name = "annotation",
       .value = "KEY=VALUE",
       .help = "annotation of the job",
       .details = "Add an annotation to the job. May be repeated.",
       .heading = "Labels and identity",
       .key = "annotations",
       .repeats = true,
       .is_map = true},
      {.name = "service-account",
       .value = "NAME",
       .help = "service account of the pods",
       .details = "The service account of the pods.",
       .heading = "Where it runs",
       .key = "service-account"},
      {.name = "pull-secret",
       .value = "NAME",
       .help = "secret for pulling the image",
       .details = "The Secret with the credentials for pulling the image. May be repeated.",
       .heading = "Data and secrets",
       .key = "pull-secrets",
       .repeats = true},
      {.name = "array",
       .value = "NUMBERS[%P]",
       .help = "run tasks with these numbers (0-99, 1-5,8, 0-90:10), at most P at a time",
       .details = "Run independent tasks with these numbers. NUMBERS is a range (0-99), a list (1-5,8) or a "
                  "range with a step (0-90:10). Append %P to run at most P tasks at a time. Each task reads "
                  "its number from $KML_TASK. `kml logs JOB-7` shows the log of task 7.",
       .heading = "What runs"},
      {.name = "param",
       .value = "NAME=VALUE",
       .help = "parameter of the template",
       .details = "Set a parameter of the template; `kml template show TEMPLATE` lists the parameters. "
                  "--NAME VALUE does the same, unless kml has a flag with that name. May be repeated.",
       .heading = "What runs",
       .letter = "-p",
       .key = "parameters",
       .repeats = true,
       .is_map = true},
      {.name = "set",
       .value = "PATH=VALUE",
       .help = "set any field of the manifest: spec.suspend=true",
       .details = "Set any field of the manifest, as in --set spec.suspend=true. May be repeated.",
       .heading = "What runs",
       .repeats = true},
  };
  return kFlags;
}

const Flag* submit_flag(std::string_view name) {
  for (const Flag& flag : submit_flags())
    if (flag.name == name) return &flag;
  return nullptr;
}

}  // namespace kml::spec
