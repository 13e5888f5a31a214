# Whatever a name stands for, a command with -o json prints JSON that satisfies its published schema, or nothing and an
# error as JSON on standard error.
. "$(dirname "$0")/lib.sh"
"$KML" local up --fake-gpus a100:2 >/dev/null 2>&1
export PYTHONPATH=$SOURCE/tests/support
cat >names.py <<'P'
import atexit
import json
import os
import pathlib
import subprocess
import time

from json_schema import faults

KML = os.environ["KML"]
SCHEMAS = pathlib.Path(os.environ["SOURCE"]) / "docs/schemas"
LINES = {"logs", "sweep export"}


def run(*words):
    return subprocess.run([KML, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def kml(*words):
    done = run(*words)
    assert done.returncode == 0, (words, done)
    return done.stdout


def until(condition, what):
    end = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.1)


def jobs():
    return {job["name"]: job["state"] for job in json.loads(kml("list", "-o", "brief"))}


def submit(name, state, *flags, command=("true",)):
    kml("submit", "--name", name, *flags, "--", *command)
    if state:
        until(lambda: jobs().get(name) == state, (name, state))


def write(name, steps):
    pathlib.Path(name + ".yaml").write_text(json.dumps({"apiVersion": "kml.dev/v1", "kind": "Pipeline", "metadata": {"name": name}, "spec": {"steps": steps}}))
    return name + ".yaml"


engines = []


def end_engines():
    """An engine that still runs would start the server again after the test."""
    for engine in engines:
        engine.kill()
        engine.wait()
    for sweep in ("slow", "tunes-a"):
        if run("sweep", "stop", sweep).returncode == 0:
            until(lambda: has_ended(json.loads(kml("sweep", "status", sweep, "-o", "json"))), sweep)


atexit.register(end_engines)


def pipeline(name, steps, *, reached):
    """Starts a run in the background, and waits until it has reached a state."""
    engines.append(subprocess.Popen([KML, "run", write(name, steps), "--name", name], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def has_reached():
        done = run("run", "status", name, "-o", "json")
        return done.returncode == 0 and reached(json.loads(done.stdout))

    until(has_reached, name)


def step_is(step, state):
    return lambda run: any(each["name"] == step and each["state"] == state for each in run["steps"])


def has_ended(run):
    return bool(run.get("end") or run.get("ended"))


SLEEP = ["sleep", "10000"]
TRIAL = ["sh", "-c", "echo score={x}"]
SERVE = ["sh", "-c", "exec python3 -m http.server $PORT"]
submit("good", "Succeeded")
submit("bad", "Failed", command=("sh", "-c", "echo broken >&2; exit 7"))
submit("runs", "Running", "--gpus", "1", command=SLEEP)
submit("array", "Failed", "--array", "0-2", command=("sh", "-c", "exit $KML_TASK"))
submit("waits", "Waiting", "--gpus", "2", command=SLEEP)
submit("huge", "Waiting", "--no-check", "--gpus", "64")
submit("suspended", "Waiting", "--gpus", "2", command=SLEEP)
kml("suspend", "suspended")
submit("cancelled", "Running", command=SLEEP)
kml("cancel", "cancelled")
until(lambda: jobs()["cancelled"] == "Cancelled", "cancelled")
submit("after", None, "--after", "runs")
submit("deleted", "Succeeded")
kml("delete", "--yes", "deleted")
kml("sweep", "run", "tuned", "--param", "x=1,2", "--maximize", "score", "--", *TRIAL)
run("sweep", "run", "fails", "--param", "x=1", "--maximize", "score", "--", "false")
kml("sweep", "run", "slow", "--param", "x=1", "--maximize", "score", "--detach", "--", "sh", "-c", "sleep 10000; echo score={x}")
kml("serve", "ready", "--", *SERVE)
run("serve", "crashes", "--timeout", "1s", "--", "false")
run("serve", "large", "--timeout", "1s", "--gpus", "2", "--", *SERVE)
kml("serve", "idle", "--idle", "1s", "--", *SERVE)
kml("submit", "--name", "nightly", "--cron", "0 3 1 1 *", "--", "true")
kml("submit", "--name", "paused", "--cron", "0 3 * * *", "--", "true")
kml("schedule", "pause", "paused")
kml("submit", "--name", "once", "--at", "+9h", "--", "true")
kml("submit", "--name", "ran", "--cron", "0 3 1 1 *", "--", *SLEEP)
kml("schedule", "run-now", "ran")
MADE = {"command": ["sh", "-c", "echo 1 >${out.o}"], "outputs": {"o": "file"}}
pipeline("done", {"a": MADE}, reached=has_ended)
pipeline("failed", {"a": {"command": ["false"]}}, reached=has_ended)
pipeline("early", {"a": {"code": {"paths": ["none.py"]}, "command": ["true"]}}, reached=has_ended)
pipeline("busy", {"a": {"command": SLEEP}}, reached=step_is("a", "running"))
pipeline("stopped", {"a": {"command": SLEEP}, "b": {"after": ["a"], "command": ["true"]}}, reached=step_is("a", "running"))
kml("run", "stop", "stopped")
until(lambda: has_ended(json.loads(kml("run", "status", "stopped", "-o", "json"))), "stopped")
pipeline("tunes", {"a": {"sweep": {"param": {"x": "1"}, "maximize": "score", "trials": 1}, "command": ["sh", "-c", "sleep 10000; echo score=1", "sh", "{args}"]}},
         reached=step_is("a", "running"))
pipeline("forgotten", {"a": {"command": ["false"]}}, reached=has_ended)
kml("delete", "--yes", "forgotten-a")
kml("submit", "--name", "kept", "--output", "t=out.txt", "--wait", "--", "sh", "-c", "echo 1 >'${out.t}'")

trial = next(name for name in jobs() if name.startswith("tuned-"))
NAMES = ["good", "bad", "runs", "array", "array-1", "array-9", "waits", "huge", "suspended", "cancelled", "after", "deleted", "tuned", "fails", "slow", trial, "ready",
         "crashes", "large", "idle", "nightly", "paused", "once", "ran", "done", "failed", "early", "busy", "stopped", "tunes", "forgotten", "kept", "done-a", "done/a.o", "none",
         "job/good", "@", "No_Name"]
ERROR = json.loads((SCHEMAS / "error.json").read_text())


def data_of(command, text):
    if command in LINES:
        return [json.loads(line) for line in text.splitlines()]
    return [json.loads(text)]


def fault_of(command, schema, words):
    """Why the answer is not as the schema says; empty if it is."""
    done = run(*command.split(), *words)
    if done.returncode != 0:
        begin = done.stderr.find("{\n")
        try:
            said = faults(ERROR, json.JSONDecoder().raw_decode(done.stderr[begin:])[0])
        except ValueError:
            said = ["no error as JSON"]
        if said and not done.stdout:
            return f"exit {done.returncode}: {said} in {done.stderr[-500:]!r}"
    elif not done.stdout and command not in LINES:
        return f"printed nothing: {done.stderr[-500:]!r}"
    form = json.loads((SCHEMAS / (schema.replace(" ", "-") + ".json")).read_text())
    try:
        found = [fault for value in data_of(command, done.stdout) for fault in faults(form, value)] if done.stdout else []
    except ValueError:
        return f"exit {done.returncode}: not JSON: {done.stdout[:500]!r}"
    return "; ".join(found)


JSON = ["-o", "json"]
COMMANDS = ["why", "status", "logs", "history", "eff", "hang", "list", "timeline", "sweep status", "sweep best", "sweep replay", "run status", "serve status", "serve revisions",
            "artifact lineage", "runs compare"]
ROWS = [(command, name, *JSON) for command in COMMANDS for name in NAMES]
ROWS += [("sweep export", name, "-o", "jsonl") for name in NAMES]
ROWS += [("logs", name, "--first-error", *JSON) for name in NAMES]
ROWS += [("rerun", name, flag, *JSON) for name in NAMES for flag in ("--test-only", "--dry-run", "--dry-run=server")]
# Flags with which submit prints different JSON. There is no --name, because a second submit would find the name taken.
TRUE = ["--", "echo", "a line"]
ROWS += [("submit", *JSON, *flags, *TRUE) for flags in (
    ["--test-only"], ["--test-only", "--gpus", "2"], ["--test-only", "--gpus", "64"], ["--test-only", "--array", "0-3"], ["--test-only", "--cron", "0 3 * * *"],
    ["--test-only", "--queue", "none"], ["--dry-run"], ["--dry-run=server"], ["--dry-run", "--cron", "0 3 * * *"], ["--cron", "0 4 * * *"], ["--at", "+9h"], ["--wait"],
    ["--follow"], ["--array", "0-3", "--wait"], ["--array", "0-3", "--follow"], ["--after", "good"], ["--after", "bad"], ["--idempotency-key", "k1"], ["--idempotency-key", "k1"],
    ["--idempotency-key", "k1", "--follow"], ["--name", "good"], ["--name", "good", "--replace"], ["--plan", "plan.json"], ["--code", "."], ["--gpus", "many"])]
ROWS += [("submit", *JSON, "-t", "serve", *flags, "--", *SERVE) for flags in (["--name", "m1", "--wait"], ["--name", "m2"])]
ROWS += [("submit", *JSON, "--output", "t=out.txt", *flags, "--", "sh", "-c", "echo 1 >'${out.t}'") for flags in ([], ["--wait"], ["--follow"])]
ROWS += [("rerun", "good", *JSON, *flags) for flags in ([], ["--wait"], ["--follow"], ["--plan", "again.json"])]
ROWS += [("rerun", "kept", *JSON, *flags) for flags in ([], ["--wait"])]
ROWS += [("apply", plan, *JSON, *flags) for plan in ("plan.json", "again.json", "none.json") for flags in ([], [], ["--wait"], ["--follow"])]
ROWS += [("run", file, *flags, *JSON) for file in ("done.yaml", "tunes.yaml", "none.yaml") for flags in (["--dry-run"], ["--dry-run", "--cron", "0 3 * * *"], [])]
ROWS += [(command, *JSON) for command in ("gc --dry-run", "trust --list", "queue --start", "queue -A", "list --mine", "list -A", "runs", "usage", "timeline", "serve list", "run list",
                                          "sweep list", "schedule list", "artifact list", "top nodes", "top jobs", "top queues", "env list", "config alias")]
ROWS += [("list", kind, *JSON) for kind in ("nodes", "namespaces", "claims", "quotas", "limits", "secrets", "configmaps", "serviceaccounts", "priorityclasses", "queues")]
wrong = []
for command, *words in ROWS:
    command, *flags = command.split(" -", 1)
    words = (["-" + flags[0]] if flags else []) + words
    schema = "plan" if "--plan" in words else command
    if fault := fault_of(command, schema, words):
        wrong.append(f"kml {command} {' '.join(words)}: {fault}")
print("\n".join(wrong))
assert not wrong, f"{len(wrong)} of {len(ROWS)}"
P
python3 names.py >wrong || fail "$(cat wrong)"
