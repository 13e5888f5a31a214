# The server is killed at a random moment after it has made a plan, perhaps while it applies the plan. Another
# server then applies the plan, and what the plan makes exists exactly once. KML_KILLS sets the number of kills. After
# that, KML_APPLIES concurrent applies make each job once, and stay below the limits.
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
ALLOW = ("--allow", "submit,sweep,run,serve")
TRIAL = {"param": ["x=1,2"], "maximize": ["score"], "parallel": 1, "command": ["sh", "-c", "echo score={x}"]}
with open("pipe.yaml", "w") as file:
    file.write("apiVersion: kml.dev/v1\nkind: Pipeline\nmetadata: {name: pipe}\nspec: {steps: {one: {command: [echo, '1'], gpus: 1, time-limit: 1h}}}\n")
SERVE = {"kind": "serve", "command": ["sh", "-c", "exec python3 -m http.server $PORT"]}


def of_kind(i):
    kinds = [{"env": [f"I={i}"], "command": ["true"]}, {"kind": "rerun", "run": "first", "env": [f"I={i}"]}]
    kinds += [{"array": "0-2%2", "env": [f"I={i}"], "command": ["true"]}, {**SERVE, "name": f"serve-{i}"}]
    kinds += [{"kind": "sweep", "name": f"sweep-{i}", **TRIAL}, {"kind": "run", "name": f"run-{i}", "file": "pipe.yaml"}]
    return kinds[i % len(kinds)]


def listed(*words):
    return subprocess.run([KML, *words, "-o", "json"], capture_output=True, text=True, check=True).stdout


def names_of(kind):
    found = json.loads(listed(*(["list"] if kind == "job" else [kind, "list"])))
    return [each.get("name") or each["metadata"]["name"] for each in (found["items"] if isinstance(found, dict) else found)]


subprocess.run([KML, "submit", "--name", "first", "--gpus", "1", "--time-limit", "1h", "--", "true"], check=True, capture_output=True)
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
    kind = of_kind(i).get("kind")
    if kind in ("sweep", "run", "serve"):
        names = names_of(kind)
        assert names.count(made[0]["name"]) == 1, (i, names, made)
        if kind == "serve":
            subprocess.run([KML, "serve", "stop", made[0]["name"]], check=True, capture_output=True)
        continue
    jobs = subprocess.run([KML, "list", "-l", f"kml.dev/idempotency-key={plan}", "-o", "name"], capture_output=True, text=True).stdout
    assert jobs.split() == [f"job.batch/{made[0]['name']}"], (i, jobs, made)

applies = int(os.environ.get("KML_APPLIES", "24"))
JOB = {"gpus": "1", "time-limit": "1h", "command": ["true"]}
KINDS = [JOB, {**TRIAL, **JOB, "kind": "sweep", "parallel": 2, "command": TRIAL["command"]}, {"kind": "rerun", "run": "first"},
         {**JOB, "array": "0-2%2"}, {"kind": "run", "file": "pipe.yaml"}, {**SERVE, "gpus": "1"}]


def apply_at_once(prefix, flag, limit, use):
    """Many applies of few plans: what was made is below the limit, exists once, and nothing that was refused would have fitted."""
    with Client(*ALLOW, flag, str(limit)) as client:
        count = max(2 * len(KINDS), applies // 10)
        plans = [client.data("plan", name=f"{prefix}-{i}", **KINDS[i % len(KINDS)]) for i in range(count)]
        calls = [client.send("tools/call", name="apply", arguments={"plan": plans[i % count]["id"]}) for i in range(applies)]
        results = [client.response(call, 3000)["result"] for call in calls]
    made, refused = set(), set()
    for i, result in enumerate(results):
        if result.get("isError"):
            what = result["structuredContent"]["error"]["what"]
            assert f"{flag} {limit}" in what or "has no time limit" in what, what
            refused.add(i % count)
        else:
            assert [each["name"] for each in result["structuredContent"]["data"]["objects"]] == [f"{prefix}-{i % count}"], result
            made.add(i % count)
    assert not made & refused and made | refused == set(range(count)), (made, refused)
    used = sum(use(plans[i]) for i in made)
    assert used <= limit, (used, limit)
    assert all(use(plans[i]) is None or used + use(plans[i]) > limit for i in refused), (used, [use(plans[i]) for i in refused])
    there = [name for kind in ("job", "sweep", "run", "serve") for name in names_of(kind)
             if name.startswith(f"{prefix}-") and name.removeprefix(f"{prefix}-").isdigit()]
    assert sorted(there) == sorted(f"{prefix}-{i}" for i in made), (there, made)
    print(f"{applies} applies at once: {len(there)} of {count} plans, {used:g} of {flag} {limit}")


share = max(1, applies // 100)
apply_at_once("many", "--max-gpus", 7 * share, lambda plan: sum(job["gpus"] for job in plan["jobs"]))
if share > 1:
    apply_at_once("hours", "--max-gpu-hours", 10 * share, lambda plan: plan["gpuHours"])
P
python3 killed.py || fail killed.py
