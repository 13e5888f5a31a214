"""A real Kubernetes for benchmarks, and the command lines of kml's peers. Needs the same as tests/cluster."""

import base64
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from bench import KML

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CLUSTER = ROOT / "tests/cluster/cluster"


class Measured:
    """One run of a program: seconds, and peak memory in MiB."""

    def __init__(self, argv, env, stdout=subprocess.DEVNULL):
        start = time.perf_counter()
        child = subprocess.Popen(argv, env=env, stdout=stdout, stderr=subprocess.PIPE, text=True)
        said = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        self.seconds = time.perf_counter() - start
        self.memory = usage.ru_maxrss / 1024
        if status != 0:
            sys.exit(f"{' '.join(map(str, argv))}: status {status}\n{said}")


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
        """Runs a command of kml. Returns its output, and the paths of its GETs according to the API server's audit
        log."""
        log = pathlib.Path(self.env["KUBECONFIG"]).parent / "audit.log"
        end = log.stat().st_size
        output = subprocess.run([KML, *argv], env=self.env, check=True, capture_output=True, text=True).stdout
        marker = f"/version?{time.time_ns()}"  # its entry in the log follows those of the earlier requests
        self.kubectl("get", "--raw", marker)
        while True:
            lines = log.read_bytes()[end if log.stat().st_size >= end else 0:].splitlines()  # it was rotated
            if any(marker.encode() in line for line in lines):
                break
            time.sleep(0.1)
        events = [json.loads(line) for line in lines if line.endswith(b"}") and b'"userAgent":"kml' in line]
        return output, [event["requestURI"] for event in events]

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
    """The cluster that KML_CLUSTER names, which stays up, or a new one. `parts` are further commands of
    tests/cluster/cluster."""
    named = os.environ.get("KML_CLUSTER")
    environment = {**os.environ, "KML_CLUSTER": named or f"bench-{os.getpid()}"}
    state = pathlib.Path(os.environ.get("TMPDIR", "/tmp")) / "kml-cluster" / environment["KML_CLUSTER"]
    if named and (state / "kubeconfig").exists():
        with tempfile.TemporaryDirectory(prefix="kml-bench-") as folder:
            yield Cluster(pathlib.Path(folder), state / "kubeconfig")
        return
    if subprocess.run([CLUSTER, "check"], stdout=sys.stderr).returncode != 0:
        sys.exit("bench: there is no cluster to be had here")
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
    if "node1" not in server.kubectl("get", "nodes", "-o", "name"):
        sys.exit("bench: the cluster has no real node: tests/cluster/cluster node 4")
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
