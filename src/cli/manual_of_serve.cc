#include "cli/flag_text.h"

namespace kml::cli {

namespace {

constexpr FlagText kOfServe[] = {
    {"--input",
     "Replaces ${in.NAME} in the command with the path of an artifact of a run, or of a file or folder "
     "(./FILE). The artifact is pinned, so that `kml gc` keeps it; `kml artifact unpin` ends that. On a "
     "cluster, it must be an artifact that a run with --store pvc/NAME has left on a volume there, which is "
     "mounted read-only.",
     "kml serve"},
    {"--port",
     "The port at which the command listens. It is the value of the variable PORT and the port of the "
     "Service; the default is 8080. On this machine each replica gets a free port in PORT instead.",
     "kml serve"},
    {"--replicas",
     "How many copies of the command run. An update without this flag keeps the number; the first time, it "
     "is 1.",
     "kml serve"},
    {"--ready",
     "A replica is ready, and gets requests, when GET of this path answers with a status from 200 to 399. "
     "Without the flag, it is ready when its port accepts connections.",
     "kml serve"},
    {"--probe",
     "Posts this JSON when the replicas are ready, and prints the answer. A status of 400 or more is an "
     "error. In a cluster, the request goes through the API server.",
     "kml serve"},
    {"--probe-path", "The path of the request of --probe. The default is /.", "kml serve"},
    {"--idle",
     "Scales to zero when no request has come for that time; the next request waits until a replica is ready "
     "again. A request that is being answered counts, an open connection alone does not. An update without "
     "this flag keeps the setting; `--idle 0` ends it. On a cluster, it needs --engine-image the first time.",
     "kml serve"},
    {"--engine-image",
     "For --idle on a cluster: an image with kml in its PATH; `examples/engine-image` builds one. A pod of "
     "it "
     "takes the requests and scales the Deployment. An update without this flag keeps the image.",
     "kml serve"},
    {"--engine-account",
     "For that pod: a service account that exists. By default kml creates one with a Role, for which you "
     "need "
     "the right to create roles. An update without this flag keeps the account.",
     "kml serve"},
    {"--timeout",
     "How long the replicas may take to become ready. If they are not, an update is rolled back. The "
     "default is 10m.",
     "kml serve"},
    {"--dry-run", "Prints the Deployment and the Service as YAML, and contacts no server.", "kml serve"},
    {"--revision",
     "The revision to go back to; `kml serve revisions` lists them. The default is the last one that was "
     "ready.",
     "kml serve rollback"},
    {"--follow", "Keeps printing new lines, also of replicas that start later, until Ctrl-C.",
     "kml serve logs"},
    {"--tail", "Prints only the last N lines of each replica.", "kml serve logs"},
    {"--previous", "Prints the log of each container's run before its last restart.", "kml serve logs"},
    {"--all-namespaces", "Lists the served programs of all namespaces.", "kml serve list"},
    {"--output", "Prints the Deployments, or their names.", "kml serve list"},
    {"--served",
     "Also stops what its steps serve, unless another run or `kml serve` has updated it since. The files "
     "that it reads stay pinned: add --force to delete them too.",
     "kml run delete"},
};

}  // namespace

std::span<const FlagText> flag_texts_of_serve() {
  return kOfServe;
}

}  // namespace kml::cli
