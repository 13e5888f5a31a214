# An agent neither changes nor reads what belongs to another context or namespace.
. "$(dirname "$0")/lib.sh"
"$KML" local up >/dev/null 2>&1
export PYTHONPATH=$SOURCE/tests/support
cat >agent.py <<'P'
import json
import os
import pathlib
import subprocess
import time

from mcp_client import KML, Client

pathlib.Path("slow.yaml").write_text("{apiVersion: kml.dev/v1, kind: Pipeline, metadata: {name: slow}, spec: {steps: {one: {command: [sleep, '10000']}}}}\n")
pathlib.Path("quick.yaml").write_text("{apiVersion: kml.dev/v1, kind: Pipeline, metadata: {name: quick}, spec: {steps: {one: {command: [sh, -c, 'echo 1 >${out.o}'], outputs: {o: file}}}}}\n")


def kml(*words):
    return subprocess.run([KML, *words], capture_output=True, text=True, check=True).stdout


def is_over(kind, name):
    status = json.loads(kml(kind, "status", name, "-o", "json"))
    return bool(status.get("end") or status.get("ended"))


kml("submit", "--name", "victim", "--wait", "--", "sh", "-c", "echo secret-of-victim")
kml("run", "quick.yaml", "--name", "made")
kml("run", "slow.yaml", "--name", "long", "--plan", "long.json")
kml("apply", "long.json")
kml("sweep", "run", "search", "--detach", "--param", "x=1,2", "--maximize", "score", "--", "sh", "-c", "sleep 10000; echo score={x}")
OF_DEFAULT = ("victim", "made", "long", "search")


def read(client):
    """All that the client shows about the four."""
    shown = [client.tool("history"), client.tool("runs"), client.tool("history", job="victim"), client.tool("plan", kind="rerun", run="victim")]
    shown += [client.tool("why", job=name) for name in OF_DEFAULT]
    for uri in ("runs", "artifacts", "run/made", "run/long", "sweep/search", "queue"):
        shown.append(client.ask("resources/read", uri="kml://" + uri))
    return [json.dumps(each) for each in shown]


with Client("-n", "default", "--context", "local") as client:
    shown = "".join(read(client))
    assert all(word in shown for word in OF_DEFAULT) and "made/one.o" in shown and "secret-of-victim" in shown, shown
with Client() as client:
    assert "made/one.o" in "".join(read(client)), "without -n, the target is the context's"

open("kubeconfig", "w").write("""apiVersion: v1
kind: Config
current-context: there
contexts: [{name: there, context: {cluster: there, user: me}}]
clusters: [{name: there, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: me, user: {}}]
""")
ELSEWHERE = {"another namespace": ["-n", "kube-system", "--context", "local"],
             "another context": ["--kubeconfig", "kubeconfig"]}
for what, target in ELSEWHERE.items():
    with Client(*target, "--allow", "cancel,others") as client:
        for answer in read(client):
            assert "secret-of-victim" not in answer and "made/one.o" not in answer and "sleep 10000" not in answer, (what, answer)
        for name in ("run/long", "sweep/search"):
            assert client.error("cancel", names=[name])["what"], (what, name)
    for kind, name in (("run", "long"), ("sweep", "search")):
        assert not is_over(kind, name), (what, kind)
# A pipeline does not hand over an artifact of another target.
pathlib.Path("reads.yaml").write_text("{apiVersion: kml.dev/v1, kind: Pipeline, metadata: {name: reads}, spec: {steps: {one: {inputs: {f: {artifact: made/one.o}}, command: [cat, '${in.f}']}}}}\n")
with Client("-n", "kube-system", "--context", "local") as client:
    assert "artifact made/one.o belongs to another" in client.error("plan", kind="run", file="reads.yaml")["what"]
with Client("--context", "local") as client:
    assert client.data("plan", kind="run", file="reads.yaml")["id"]
# A plan for another namespace cannot be applied, even by its correct id.
with Client("-n", "kube-system", "--context", "local") as client:
    planned = client.data("plan", name="crossing", command=["true"])["id"]
with Client("--context", "local", "--allow", "submit") as client:
    assert "the plan is for local/kube-system" in client.error("apply", plan=planned)["what"]
# Records without a target stay visible.
kml("artifact", "put", "words=slow.yaml")
with Client("-n", "kube-system", "--context", "local") as client:
    assert "words" in json.dumps(client.ask("resources/read", uri="kml://artifacts"))
# In its own target, an agent with "others" can stop the run and the sweep.
with Client("--context", "local", "--allow", "cancel,others") as client:
    client.data("cancel", names=["run/long", "sweep/search"])
for kind, name in (("run", "long"), ("sweep", "search")):
    while not is_over(kind, name):
        time.sleep(0.1)
P
python3 agent.py || fail agent.py
