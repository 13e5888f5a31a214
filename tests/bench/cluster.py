"""A real Kubernetes for benchmarks, and the command lines of kml's peers. Needs the same as tests/cluster."""

import atexit
import base64
import contextlib
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from bench import KML

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import real_node  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CLUSTER = ROOT / "tests/cluster/cluster"


# A child's ru_maxrss begins with the memory of the process that started it (fs/exec.c), and Python's is larger than kml's.
STARTER = r"""
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char **argv) {
  const pid_t child = fork();
  if (child == 0) return execvp(argv[1], argv + 1);
  int status;
  struct rusage usage;
  wait4(child, &status, 0, &usage);
  dprintf(2, "%ld", usage.ru_maxrss);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
"""


@functools.cache
def starter():
    folder = tempfile.TemporaryDirectory(prefix="kml-bench-")
    atexit.register(folder.cleanup)
    program = pathlib.Path(folder.name) / "start"
    subprocess.run(["cc", "-O1", "-x", "c", "-", "-o", program], input=STARTER, text=True, check=True)
    return program


class Measured:
    """One run of a program: seconds, and peak memory in MiB."""

    def __init__(self, argv, env, stdout=subprocess.DEVNULL):
        command = [starter(), *argv]
        start = time.perf_counter()
        done = subprocess.run(command, env=env, stdout=stdout, stderr=subprocess.PIPE, text=True)
        self.seconds = time.perf_counter() - start
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, argv))}: status {done.returncode}\n{done.stderr}")
        self.memory = int(re.search(r"\d+$", done.stderr)[0]) / 1024


class Cluster:
    def __init__(self, folder, kubeconfig):
        self.folder = folder
        self.env = {**os.environ, "KUBECONFIG": str(kubeconfig), "KML_STATE_DIR": str(folder / "state"), "HOME": str(folder)}
        config = json.loads(self.kubectl("config", "view", "--raw", "-o", "json"))
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        self.server = cluster["server"]
        for name, data in (("ca", cluster["certificate-authority-data"]), ("cert", user["client-certificate-data"]),
                           ("key", user["client-key-data"])):
            (folder / name).write_bytes(base64.b64decode(data))

    def kubectl(self, *arguments):
        return subprocess.run(["kubectl", *arguments], env=self.env, check=True, capture_output=True, text=True).stdout

    def run(self, *argv):
        return Measured(argv, self.env)

    def asked_for(self, *argv):
        """Runs a command of kml. Returns its output, and the paths of its requests according to the API server's
        audit log."""
        end = self.audit_log().stat().st_size
        output = subprocess.run([KML, *argv], env=self.env, check=True, capture_output=True, text=True).stdout
        return output, [event["requestURI"] for event in self.events_of_kml(end)]

    def audit_log(self):
        return pathlib.Path(self.env["KUBECONFIG"]).parent / "audit.log"

    def events_of_kml(self, begin):
        """kml's requests in the API server's audit log since the log had the size `begin`."""
        log = self.audit_log()
        marker = f"/version?{time.time_ns()}"  # its entry in the log follows those of the earlier requests
        self.kubectl("get", "--raw", marker)
        while True:
            lines = log.read_bytes()[begin if log.stat().st_size >= begin else 0:].splitlines()  # all of it if it was rotated
            if any(marker.encode() in line for line in lines):
                break
            time.sleep(0.1)
        return [json.loads(line) for line in lines if line.endswith(b"}") and b'"userAgent":"kml' in line]

    def new_namespace(self, name):
        self.kubectl("create", "namespace", name)
        return name

    def jobs_url(self, namespace):
        return f"{self.server}/apis/batch/v1/namespaces/{namespace}/jobs?fieldManager=kml&fieldValidation=Strict"

    def curl(self):
        return ["curl", "-sSf", "-o", "/dev/null", "--cacert", self.folder / "ca", "--cert", self.folder / "cert",
                "--key", self.folder / "key"]


@contextlib.contextmanager
def cluster(*parts):
    """The cluster that KML_CLUSTER names, if it is up, or a new one, which is removed at the end. `parts` are further
    commands of tests/cluster/cluster for a new one."""
    named = os.environ.get("KML_CLUSTER")
    environment = {**os.environ, "KML_CLUSTER": named or f"bench-{os.getpid()}"}
    state = pathlib.Path(os.environ.get("TMPDIR", "/tmp")) / "kml-cluster" / environment["KML_CLUSTER"]
    if named and (state / "kubeconfig").exists():
        with tempfile.TemporaryDirectory(prefix="kml-bench-") as folder:
            yield Cluster(pathlib.Path(folder), state / "kubeconfig")
        return
    if subprocess.run([CLUSTER, "check"], stdout=sys.stderr).returncode != 0:
        real_node.end("this machine cannot run a cluster: see above", "tests/cluster/cluster packages, or a machine that allows namespaces")
    with tempfile.TemporaryDirectory(prefix="kml-bench-") as folder:
        try:
            kubeconfig = subprocess.run([CLUSTER, "up"], env=environment, check=True, capture_output=True, text=True).stdout
            for part in parts:
                subprocess.run([CLUSTER, *part], env=environment, check=True, stdout=sys.stderr)
            yield Cluster(pathlib.Path(folder), kubeconfig.split()[-1])
        finally:
            subprocess.run([CLUSTER, "down"], env=environment, stdout=sys.stderr)


@contextlib.contextmanager
def running_pod(server, name, script, *flags):
    """A job of one pod on the real node, which runs the script in busybox. Yields the pod's name once `sh` runs in it. The
    node must be a part of the cluster."""
    busybox = "/bin/busybox"
    real_node.require(server.env["KUBECONFIG"])
    subprocess.run([KML, "submit", "--name", name, "--image", "localhost/busybox:1", "--node-selector",
                    "kubernetes.io/hostname=node1", *flags, "--", busybox, "sh", "-c", script], check=True, env=server.env, stdout=sys.stderr)
    try:
        subprocess.run([KML, "wait", name, "--for", "running", "--timeout", "2m"], check=True, env=server.env, stdout=sys.stderr)
        pods = server.kubectl("get", "pods", "-l", f"batch.kubernetes.io/job-name={name}", "-o", "name")
        yield pods.split()[0].removeprefix("pod/")
    finally:
        subprocess.run([KML, "delete", name, "--yes"], env=server.env, stdout=sys.stderr, check=False)


def suspended_job(name, **more):
    """A job that causes no work for controllers."""
    container = {"name": "main", "image": "trainer:1", "command": ["python", "train.py", "--lr", "0.1"],
                 "resources": {"limits": {"nvidia.com/gpu": 2}}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, **more},
            "spec": {"suspend": True, "template": {"spec": {"restartPolicy": "Never", "containers": [container]}}}}


def write_manifests(path, objects):
    """Writes JSON, which is also YAML, so that all peers can read the same file."""
    path.write_text("".join(f"---\n{json.dumps(item)}\n" for item in objects))
    return str(path)
