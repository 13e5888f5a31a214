# The server is killed at a random moment between plan and apply. Another one applies the plan: exactly one job for each plan.
# KML_KILLS sets how many.
. "$(dirname "$0")/lib.sh"
"$KML" local up >/dev/null 2>&1
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
P
python3 killed.py || fail killed.py
