"""For scripts that need the real node of tests/cluster: they end with 2, and say what is missing, if there is no such node."""

import os
import pathlib
import subprocess
import sys

SETUP = "export KML_CLUSTER=NAME && tests/cluster/cluster up && tests/cluster/cluster node 4"


def end(missing, fix=SETUP):
    print(f"{pathlib.Path(sys.argv[0]).name}: {missing}\n  fix: {fix}", file=sys.stderr)
    sys.exit(2)


def state_folder():
    """The folder of the cluster that KML_CLUSTER names."""
    return pathlib.Path(os.environ.get("TMPDIR", "/tmp")) / "kml-cluster" / os.environ.get("KML_CLUSTER", "test")


def require(kubeconfig=None):
    """Ends the script unless the cluster of this kubeconfig, by default that of KML_CLUSTER, is up and has the node."""
    kubeconfig = kubeconfig or state_folder() / "kubeconfig"
    if not pathlib.Path(kubeconfig).exists():
        name = os.environ.get("KML_CLUSTER")
        end(f'no cluster "{state_folder().name}" is up' + ("" if name else ", and KML_CLUSTER names no other one"))
    nodes = subprocess.run([state_folder() / "kubectl", "--kubeconfig", kubeconfig, "get", "nodes", "-o", "name"], capture_output=True, text=True)
    if nodes.returncode != 0:
        end(f"the cluster does not answer: {nodes.stderr.strip()}", "tests/cluster/cluster down, then " + SETUP)
    if "node/node1" not in nodes.stdout.split():
        end("the cluster has no real node", "tests/cluster/cluster node 4")
