"""10,000 jobs with 20,000 pods that run on 500 simulated nodes, on a real API server.

Creating them takes many minutes. If KML_CLUSTER names a cluster, they are created there once and left in place.
"""

import contextlib
import pathlib
import subprocess
import sys
import time

from bench import KML
from cluster import cluster, suspended_job, write_manifests

JOBS, PODS_OF_EACH, NODES = 10_000, 2, 500


def pod(job, uid, number):
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": job, "uid": uid, "controller": True}
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": f"{job}-{number % PODS_OF_EACH}", "labels": {"batch.kubernetes.io/job-name": job},
                         "annotations": {"kwok/run-for": "1000h"},
                         "ownerReferences": [owner]},
            "spec": {"nodeName": f"gpu-{number % NODES + 1}", "restartPolicy": "Never",
                     "containers": [{"name": "main", "image": "trainer:1", "resources": {"limits": {"nvidia.com/gpu": 1}}}]}}


def hold_controllers(cluster_folder):
    """Stops the controllers, because the Job controller would make pods of its own."""
    subprocess.run(["pkill", "-STOP", "-f", f"{cluster_folder}/bin/kube kube-controller-manager"], check=True)


def fill(server):
    def submit(what, objects):
        server.run(KML, "submit", "-f", write_manifests(server.folder / f"{what}.yaml", objects))

    jobs = [suspended_job(f"train-{i:05}") for i in range(JOBS)]
    for job in jobs:
        job["spec"]["suspend"] = False
    submit("jobs", jobs)
    jobs = server.kubectl("get", "jobs", "-o", 'jsonpath={range .items[*]}{.metadata.name} {.metadata.uid}{"\\n"}{end}')
    submit("pods", [pod(*job.split(), i * PODS_OF_EACH + number)
                    for i, job in enumerate(jobs.splitlines()) for number in range(PODS_OF_EACH)])


@contextlib.contextmanager
def ten_thousand_jobs():
    with cluster(("kwok", str(NODES), "40")) as server:
        if not server.kubectl("get", "job", f"train-{JOBS - 1:05}", "--ignore-not-found"):
            hold_controllers(pathlib.Path(server.env["KUBECONFIG"]).parent)
            fill(server)
        deadline = time.monotonic() + 1800
        while server.kubectl("get", "pods", "--field-selector", "status.phase!=Running", "-o", "name"):
            if time.monotonic() > deadline:
                sys.exit("bench: the simulated nodes did not run all pods")
            time.sleep(5)
        yield server
