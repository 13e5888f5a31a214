# --max-gpu-hours on a cluster with Kueue: a job that names no queue is rejected if Kueue would put it into one, because it
# could then start again and again. If the server rejects one job of a plan, its other jobs still count toward the limit,
# and belong to kml mcp.
. "$(dirname "$0")/lib.sh"
"$KML" local up --fake-gpus 8 >/dev/null 2>&1
url=$("$KML" local kubeconfig | sed -n 's/.*server: //p')
token=$("$KML" local kubeconfig | sed -n 's/.*token: //p' | tr -d '"')
python3 "$SOURCE/tests/support/queue_proxy.py" "$url" "$token" "$work/queues" >proxy 2>proxy.err &
proxy=$!
trap 'status=$?; kill $proxy 2>/dev/null || true; finish $status' EXIT
eventually grep -q . proxy
cat >config <<Y
apiVersion: v1
kind: Config
current-context: near
clusters: [{name: near, cluster: {server: "http://127.0.0.1:$(head -1 proxy)"}}]
users: [{name: nobody, user: {}}]
contexts: [{name: near, context: {cluster: near, user: nobody}}]
Y
export KUBECONFIG=$work/config PYTHONPATH=$SOURCE/tests/support
cat >agent.py <<'P'
import json
import pathlib
import subprocess

from mcp_client import KML, Client

JOB = {"image": "localhost/busybox:1", "command": ["sleep", "10000"], "time-limit": "1h"}
OF_ALL_STARTS = ["--label=kueue.x-k8s.io/max-exec-time-seconds=600", "--grace=0s"]
queues = pathlib.Path("queues")
count = iter(range(100))
ROWS = [  # the queues of the namespace, the job, whether it is rejected
    ("", {"gpus": "1"}, False),
    ("team", {"gpus": "1"}, False),
    ("default", {"gpus": "1"}, True),
    ("team default", {"gpus": "1"}, True),
    ("default", {"gpus": "1", "flags": OF_ALL_STARTS}, False),
    ("default", {"gpus": "1", "flags": OF_ALL_STARTS[:1]}, True),
    ("default", {}, False),
    ("team", {"gpus": "1", "queue": "team"}, True),
    ("team", {"gpus": "1", "queue": "team", "flags": OF_ALL_STARTS}, False),
]
with Client("--allow", "submit,cancel", "--max-gpu-hours", "100") as limited, Client("--allow", "submit,cancel", "--max-gpus", "100") as other:
    for names, job, is_rejected in ROWS:
        queues.write_text(names)
        for client in (limited, other):
            planned = client.data("plan", name=f"job-{next(count)}", **JOB, **job)
            answer = client.tool("apply", plan=planned["id"])
            assert bool(answer.get("isError")) == (is_rejected and client is limited), (names, job, answer)
            if answer.get("isError"):
                error = answer["structuredContent"]["error"]
                assert "Kueue" in error["why"] and "max-exec-time-seconds" in error["fix"], error

queues.write_text("")
POD = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "localhost/busybox:1", "command": ["sleep", "10000"], "resources": {"limits": {"nvidia.com/gpu": 1}}}]}
JOBS = [{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": f"half-{i}"}, "spec": {"podReplacementPolicy": "Failed", "activeDeadlineSeconds": 3600, "template": {"spec": POD}}} for i in range(2)]
pathlib.Path("two.yaml").write_text(json.dumps({"kml": "template/v1", "help": "x", "body": JOBS}))
with Client("--allow", "submit,cancel", "--max-gpus", "2") as client:
    planned = client.data("plan", template="./two.yaml")
    pathlib.Path("queues.refused").write_text("half-1")
    error = client.error("apply", plan=planned["id"])
    assert "half-1" in json.dumps(error) and error["code"] == 4, error
    listed = subprocess.run([KML, "list", "-o", "name"], capture_output=True, text=True, check=True).stdout.split()
    assert [job for job in listed if "half" in job] == ["job.batch/half-0"], listed
    two = client.data("plan", name="two", **JOB, gpus="2")
    assert "--max-gpus 2" in client.error("apply", plan=two["id"])["what"]
    client.data("cancel", names=["half-0"])
P
python3 agent.py || fail "agent.py: $(tail -n 5 proxy.err)"
