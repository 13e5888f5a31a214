# A name that an agent gives to kml mcp stands for the job with this name, and for nothing else, even if a kind has the
# same name.
. "$(dirname "$0")/lib.sh"
"$KML" local up --fake-gpus 8 >/dev/null 2>&1
export PYTHONPATH=$SOURCE/tests/support
cat >agent.py <<'P'
import subprocess

from mcp_client import KML, Client

KINDS = ["claims", "queues", "nodes", "no", "namespaces", "secrets", "quotas", "limits", "configmaps", "jobs", "job"]


def kml(*words):
    return subprocess.run([KML, *words], capture_output=True, text=True, check=True).stdout


for name in KINDS:
    kml("submit", "--name", name, "--", "sleep", "10000")
with Client("--allow", "submit,cancel,delete,suspend") as client:
    # Tests jobs of others.
    for name in KINDS:
        for tool in ("cancel", "suspend", "resume", "delete"):
            assert "did not create job " + name in client.error(tool, names=[name])["what"], (tool, name)
    # Tests the agent's own jobs with such names, alone and together with jobs of others.
    kml("delete", "--yes", *KINDS)
    for name in (*KINDS, "mine"):
        client.data("apply", plan=client.data("plan", name=name, command=["sleep", "10000"])["id"])
    kml("submit", "--name", "strange", "--", "sleep", "10000")
    for names in (["mine", "strange"], ["claims", "strange"], ["strange", "nodes"]):
        assert "did not create job strange" in client.error("cancel", names=names)["what"], names
    client.data("suspend", names=["nodes", "mine", "mine"])
    client.data("cancel", names=["job/claims", "jobs"])
    for name in (*(each for each in KINDS if each not in ("claims", "jobs")), "mine"):
        client.data("cancel", names=[name])
    # Tests words that are not names.
    for word in ("", " mine", "mine ", "mine,strange", "mine strange", "mine\n", "Mine", "m*", "m?ne", "[m]ine", "m\\ine",
                 "@", "-A", "--all", "default/mine/", "/mine", "mine/", "job/../mine", "job/*", "job/@", "run/", "sweep/--help",
                 "serve/*", "run/..", "..", "."):
        assert client.error("cancel", names=[word])["code"] == 2, word
    assert "empty list" in client.error("cancel", names=[])["what"]
    assert "empty list" in client.error("delete", names=[])["what"]
with Client("--allow", "cancel,others") as client:
    assert "empty list" in client.error("cancel", names=[])["what"]
    for word in ("*", "@", "--all", "job/*"):
        assert client.error("cancel", names=[word])["code"] == 2, word
assert "Running" in kml("list", "strange"), kml("list")
P
python3 agent.py || fail agent.py
# After the word "jobs", "nodes" is the name of a job.
expect 0 "$KML" submit --name nodes --replace -- true
expect 0 "$KML" list jobs nodes -o name
[ "$out" = job.batch/nodes ] || fail "$out"
