# The server is killed at a random moment between plan and apply. Another one applies the plan: exactly one job for each plan.
# KML_KILLS sets how many. Then many applies at once, KML_APPLIES of them, make each job once and stay below the limits.
. "$(dirname "$0")/lib.sh"
"$KML" local up --fake-gpus 16 >/dev/null 2>&1
export PYTHONPATH=$SOURCE/tests/support
cat >killed.py <<'P'
import json
import os
import random
import subprocess
import time

from mcp_client import KML, Client

kills = int(os.environ.get("KML_KILLS", "10"))
ALLOW = ("--allow", "submit,sweep,run")
TRIAL = {"param": ["x=1,2"], "maximize": ["score"], "parallel": 1, "command": ["sh", "-c", "echo score={x}"]}
with open("pipe.yaml", "w") as file:
    file.write("apiVersion: kml.dev/v1\nkind: Pipeline\nmetadata: {name: pipe}\nspec: {steps: {one: {command: [echo, '1']}}}\n")


def of_kind(i):
    kinds = [{"env": [f"I={i}"], "command": ["true"]}, {"kind": "rerun", "run": "first", "env": [f"I={i}"]}]
    kinds += [{"kind": "sweep", "name": f"sweep-{i}", **TRIAL}, {"kind": "run", "name": f"run-{i}", "file": "pipe.yaml"}]
    return kinds[i % 4]


def listed(*words):
    return subprocess.run([KML, *words, "-o", "json"], capture_output=True, text=True, check=True).stdout


subprocess.run([KML, "submit", "--name", "first", "--", "true"], check=True, capture_output=True)
for i in range(kills):
    first = Client(*ALLOW)
    plan = first.data("plan", **of_kind(i))["id"]
    for _ in range(random.randrange(4)):
        first.send("tools/call", name="apply", arguments={"plan": plan})
    time.sleep(random.random() / 10)
    first.process.kill()
    first.process.wait()
    with Client(*ALLOW) as second:
        made = second.data("apply", plan=plan)["objects"]
        assert second.data("apply", plan=plan)["objects"] == made
    if i % 4 > 1:
        names = [each["name"] for each in json.loads(listed("sweep" if i % 4 == 2 else "run", "list"))]
        assert names.count(made[0]["name"]) == 1, (i, names, made)
        continue
    jobs = subprocess.run([KML, "list", "-l", f"kml.dev/idempotency-key={plan}", "-o", "name"], capture_output=True, text=True).stdout
    assert jobs.split() == [f"job.batch/{made[0]['name']}"], (i, jobs, made)

applies = int(os.environ.get("KML_APPLIES", "20"))
kinds = [{"gpus": "1", "command": ["true"]}, {"kind": "sweep", "gpus": "1", **TRIAL}, {"kind": "rerun", "run": "first", "gpus": "1"}]
with Client(*ALLOW, "--max-gpus", "7") as client:
    plans = [client.data("plan", name=f"many-{i}", **kinds[i % 3])["id"] for i in range(10)]
    calls = [client.send("tools/call", name="apply", arguments={"plan": plans[i % 10]}) for i in range(applies)]
    results = [client.response(call, 1200)["result"] for call in calls]
made = {each["name"] for result in results if not result.get("isError") for each in result["structuredContent"]["data"]["objects"]}
refused = [result["structuredContent"]["error"]["what"] for result in results if result.get("isError")]
jobs = [each["metadata"]["name"] for each in json.loads(listed("list"))["items"]]
jobs = [name for name in jobs if name.startswith("many-") and "-t0" not in name]
jobs += [each["name"] for each in json.loads(listed("sweep", "list")) if each["name"].startswith("many-")]
assert len(made) == 7 and sorted(jobs) == sorted(made), (made, jobs)
assert all("--max-gpus 7" in each for each in refused) and len(refused) == 3 * applies // 10, refused
print(applies, "applies at once:", len(jobs), "jobs")
P
python3 killed.py || fail killed.py
