# The server is killed at a random moment between plan and apply. Another one applies the plan: exactly one job for each plan.
# KML_KILLS sets how many. Then many applies at once, KML_APPLIES of them, make each job once and stay below the limits.
. "$(dirname "$0")/lib.sh"
"$KML" local up --fake-gpus 16 >/dev/null 2>&1
export PYTHONPATH=$SOURCE/tests/support
cat >killed.py <<'P'
import os
import random
import subprocess
import time

from mcp_client import KML, Client

kills = int(os.environ.get("KML_KILLS", "10"))
for i in range(kills):
    first = Client("--allow", "submit")
    plan = first.data("plan", env=[f"I={i}"], command=["true"])["id"]
    for _ in range(random.randrange(4)):
        first.send("tools/call", name="apply", arguments={"plan": plan})
    time.sleep(random.random() / 10)
    first.process.kill()
    first.process.wait()
    with Client("--allow", "submit") as second:
        made = second.data("apply", plan=plan)["objects"]
        assert second.data("apply", plan=plan)["objects"] == made
    jobs = subprocess.run([KML, "list", "-l", f"kml.dev/idempotency-key={plan}", "-o", "name"], capture_output=True, text=True).stdout
    assert jobs.split() == [f"job.batch/{made[0]['name']}"], (i, jobs, made)

applies = int(os.environ.get("KML_APPLIES", "20"))
with Client("--allow", "submit", "--max-gpus", "7") as client:
    plans = [client.data("plan", name=f"many-{i}", gpus="1", command=["true"])["id"] for i in range(10)]
    calls = [client.send("tools/call", name="apply", arguments={"plan": plans[i % 10]}) for i in range(applies)]
    results = [client.response(call, 1200)["result"] for call in calls]
made = {each["name"] for result in results if not result.get("isError") for each in result["structuredContent"]["data"]["objects"]}
refused = [result["structuredContent"]["error"]["what"] for result in results if result.get("isError")]
jobs = subprocess.run([KML, "list", "many-*", "-o", "name"], capture_output=True, text=True).stdout.split()
assert len(made) == 7 and sorted(jobs) == sorted(f"job.batch/{name}" for name in made), (made, jobs)
assert all("--max-gpus 7" in each for each in refused) and len(refused) == 3 * applies // 10, refused
print(applies, "applies at once:", len(jobs), "jobs")
P
python3 killed.py || fail killed.py
