# --max-gpus and --max-gpu-hours are upper limits: they count grace periods and resumed jobs.
. "$(dirname "$0")/lib.sh"
"$KML" local up --fake-gpus 8 >/dev/null 2>&1
export PYTHONPATH=$SOURCE/tests/support
cat >agent.py <<'P'
import json
import os
import pathlib
import subprocess
import time

from mcp_client import KML, Client

HOUR = 3600
SLEEP = {"command": ["sleep", "10000"]}


def kml(*words):
    return subprocess.run([KML, *words], capture_output=True, text=True, check=True).stdout


def is_over(kind, name):
    status = json.loads(kml(kind, "status", name, "-o", "json"))
    return bool(status.get("end") or status.get("ended"))


def pipeline(name, rest):
    path = pathlib.Path(name + ".yaml")
    path.write_text(json.dumps({"apiVersion": "kml.dev/v1", "kind": "Pipeline", "metadata": {"name": name}, "spec": rest}))
    return {"kind": "run", "file": str(path), "name": name}


STEP = {"command": ["true"], "gpus": 2, "time-limit": "10s", "grace": "1h"}
SWEEP = {"kind": "sweep", "name": "s", "param": ["x=1,2,3"], "minimize": ["l"], "command": ["echo", "l={x}"], "gpus": "2", "time-limit": "10s"}
ONE = {"name": "j", "command": ["true"], "gpus": "2", "time-limit": "10s"}

# Each row has a plan, and the GPU seconds that kml counts for it.
ROWS = [
    ("default", ONE, 2 * (10 + 60)),
    ("grace", {**ONE, "flags": ["--grace=10h"]}, 2 * (10 + 10 * HOUR)),
    ("no grace", {**ONE, "flags": ["--grace=0s"]}, 2 * 10),
    ("retries share a limit", {**ONE, "retries": 5, "flags": ["--grace=1h"]}, 2 * (10 + HOUR)),
    ("nodes", {**ONE, "template": "job-indexed", "nodes": 2, "flags": ["--grace=1h"]}, 4 * (10 + HOUR)),
    ("array", {**ONE, "array": "0-9%3", "flags": ["--grace=1h"]}, 6 * (10 + HOUR)),
    ("step", pipeline("p1", {"steps": {"a": STEP}}), 2 * (10 + HOUR)),
    ("step with retries", pipeline("p2", {"steps": {"a": {**STEP, "retries": 3}}}), 4 * 2 * (10 + HOUR)),
    ("onExit", pipeline("p3", {"steps": {"a": {"command": ["true"]}}, "onExit": STEP}), 2 * (10 + HOUR)),
    ("trials", {**SWEEP, "flags": ["--grace=1h"]}, 3 * 2 * (10 + HOUR)),
    ("trials with retries", {**SWEEP, "retries": 4, "flags": ["--grace=1h"]}, 5 * 3 * 2 * (10 + HOUR)),
]
with Client("--allow", "submit,sweep,run") as client:
    for what, arguments, seconds in ROWS:
        planned = client.data("plan", **arguments)
        assert planned["gpuHours"] is not None and abs(planned["gpuHours"] * HOUR - seconds) < 1e-3, (what, planned["gpuHours"] * HOUR, seconds)
# Plans whose GPU hours have no limit or cannot be counted, each with a part of the reason.
QUEUE, OF_ALL_STARTS = "--label=kueue.x-k8s.io/queue-name=q", "--label=kueue.x-k8s.io/max-exec-time-seconds=600"


def template(name, kind, spec, version="batch/v1"):
    body = {"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec}
    pathlib.Path(name + ".yaml").write_text(json.dumps({"kml": "template/v1", "help": "x", "body": body}))
    return {"template": f"./{name}.yaml"}


POD = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "x", "command": ["true"], "resources": {"limits": {"nvidia.com/gpu": 1}}}]}}
UNLIMITED = [
    ({"name": "q1", "command": ["true"], "gpus": "1", "flags": [QUEUE]}, "Kueue may stop a job"),
    ({**ONE, "name": "q2", "flags": [QUEUE]}, "Kueue may stop a job"),
    ({**ONE, "name": "q3", "flags": [QUEUE, OF_ALL_STARTS]}, "Kueue may stop a job"),
    ({**SWEEP, "name": "q4", "flags": [QUEUE]}, "Kueue may stop a job"),
    ({**SWEEP, "name": "q5", "flags": ["--fan-out=indexed"]}, "Indexed Job"),
    (pipeline("q6", {"steps": {"a": {**STEP, "labels": {"kueue.x-k8s.io/queue-name": "q"}}}}), "Kueue may stop a job"),
    ({"kind": "serve", "name": "q7", "gpus": "1", "command": ["true"]}, "no time limit"),
    (template("q8", "Job", {"activeDeadlineSeconds": 10, "template": POD}), "podReplacementPolicy"),
    (template("q9", "CronJob", {"schedule": "0 0 1 1 *", "jobTemplate": {"spec": {"activeDeadlineSeconds": 10, "template": POD}}}), "cannot count"),
]
with Client("--allow", "submit,sweep,run,serve", "--max-gpu-hours", "1000") as client:
    for arguments, why in UNLIMITED:
        planned = client.data("plan", **arguments)
        assert planned["gpuHours"] is None, (arguments, planned["jobs"])
        error = client.error("apply", plan=planned["id"])
        assert why in error["what"] + error.get("why", ""), (arguments, error)
    # Kueue's own limit spans all starts, if the job has no grace period.
    planned = client.data("plan", **{**ONE, "name": "q10"}, flags=[QUEUE, OF_ALL_STARTS, "--grace=0s"])
    assert abs(planned["gpuHours"] * HOUR - 2 * 600) < 1e-3 and planned["jobs"][0]["spansQueues"], planned["jobs"]
# In a sweep that a plan has started, a trial whose job is deleted uses up a retry.
with Client("--allow", "sweep") as client:
    for retries in (0, 1):
        name = f"deleted{retries}"
        planned = client.data("plan", **{**SWEEP, "name": name, "param": ["x=1"], "gpus": "0", "retries": retries, "command": ["sh", "-c", "sleep 10000; echo l={x}"], "time-limit": "3h"})
        client.data("apply", plan=planned["id"])
        seen = set()
        while not is_over("sweep", name):
            jobs = {job["name"]: job["state"] for job in json.loads(kml("list", "-o", "brief")) if job["name"].startswith(name + "-")}
            for job, state in jobs.items():
                seen.add(job)
                if state == "Running":
                    kml("delete", "--yes", job)
            time.sleep(0.1)
        assert len(seen) == 1 + retries, seen
# A job that would end in time, but for its grace period, exceeds the limit.
with Client("--allow", "submit", "--max-gpu-hours", "0.01") as client:
    planned = client.data("plan", name="late", gpus="8", **{"time-limit": "2s"}, flags=["--grace=10h"], **SLEEP)
    assert "--max-gpu-hours 0.01" in client.error("apply", plan=planned["id"])["what"]

# Each resume counts the job's whole time limit again.
FIVE = str(5.1 * (HOUR + 60) / HOUR)
with Client("--allow", "submit,suspend,cancel", "--max-gpus", "1", "--max-gpu-hours", FIVE) as client:
    planned = client.data("plan", name="again", gpus="1", **{"time-limit": "1h"}, **SLEEP)
    client.data("apply", plan=planned["id"])
    for resumes in range(4):
        client.data("resume", names=["again"])  # not suspended, so nothing starts, and nothing is counted
        client.data("suspend", names=["again"])
        client.data("resume", names=["again"])
    client.data("suspend", names=["again"])
    error = client.error("resume", names=["again"])
    assert f"--max-gpu-hours {float(FIVE):g}" in error["what"], error
    assert "Suspended" in kml("list", "again"), kml("list", "again")
# The GPUs of another creator's job are only counted when an agent resumes the job.
kml("submit", "--name", "bigger", "--gpus", "2", "--time-limit", "1h", "--", "sleep", "10000")
kml("submit", "--name", "endless", "--gpus", "1", "--", "sleep", "10000")
kml("suspend", "bigger", "endless")
with Client("--allow", "suspend,others", "--max-gpus", "1") as client:
    assert "--max-gpus 1" in client.error("resume", names=["bigger"])["what"]
with Client("--allow", "suspend,others", "--max-gpu-hours", "2.1") as client:
    assert "no time limit" in client.error("resume", names=["endless"])["what"]
    client.data("resume", names=["bigger"])
    client.data("suspend", names=["bigger"])
    assert "--max-gpu-hours 2.1" in client.error("resume", names=["bigger"])["what"]
with Client("--allow", "suspend,others") as client:
    client.data("resume", names=["bigger", "endless"])

# Applying a plan again does not continue a sweep or run that was stopped, even if the first apply was killed
# before it recorded the start.
pathlib.Path("slow.yaml").write_text(json.dumps({"apiVersion": "kml.dev/v1", "kind": "Pipeline", "metadata": {"name": "slow"}, "spec": {"steps": {"a": SLEEP}}}))
STOPPED = {"sweep": {"param": ["x=1,2"], "minimize": ["l"], "command": ["sh", "-c", "sleep 10000; echo l={x}"]}, "run": {"file": "slow.yaml"}}
with Client("--allow", "sweep,run,cancel") as client:
    for kind, arguments in STOPPED.items():
        planned = client.data("plan", kind=kind, name="stopped", **arguments)["id"]
        client.data("apply", plan=planned)
        client.data("cancel", names=[f"{kind}/stopped"])
        while not is_over(kind, "stopped"):
            time.sleep(0.1)
        (pathlib.Path(os.environ["XDG_STATE_HOME"]) / "kml" / "plans" / f"{planned}.json").unlink()
        client.data("apply", plan=planned)
        assert is_over(kind, "stopped"), kind
P
python3 agent.py || fail agent.py
