# Plans of an agent copy no variables of kml mcp into jobs, unless the user named them, and neither read nor mount what
# is outside of the folder of kml mcp.
. "$(dirname "$0")/lib.sh"
"$KML" local up >/dev/null 2>&1
export PYTHONPATH=$SOURCE/tests/support MY_TOKEN=value-of-the-token OTHER_TOKEN=another-value
mkdir -p project/sub outside
cd project
cat >agent.py <<'P'
import json
import os
import pathlib
import subprocess

from mcp_client import KML, Client

OUTSIDE = os.path.abspath("../outside")
pathlib.Path(OUTSIDE, "file").write_text("x\n")
pathlib.Path(".hidden").write_text("x\n")
pathlib.Path("words.txt").write_text("x\n")
pathlib.Path("sub/words.txt").write_text("x\n")


def write(name, content):
    pathlib.Path(name).write_text(json.dumps(content))
    return name


def run_of(number, **step):
    file = write(f"p{number}.yaml", {"apiVersion": "kml.dev/v1", "kind": "Pipeline", "metadata": {"name": f"p{number}"},
                                     "spec": {"steps": {"a": {"command": ["true"], **step}}}})
    return {"kind": "run", "file": file, "name": f"p{number}"}


def template_of(name, volume, extra=()):
    pod = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "x", "command": ["true"]}], "volumes": [{"name": "v", **volume}]}
    body = [{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "tj"}, "spec": {"template": {"spec": pod}}}, *extra]
    wrapped = {"kml": "template/v1", "help": "x", "pods": [{"path": "spec.template"}], "body": body if extra else body[0]}
    return {"template": "./" + write(name, wrapped), "name": "tj"}


ENV = ["sh", "-c", "echo token=$MY_TOKEN"]
SECRETS = [{"secret": ["MY_TOKEN"]}, {"flags": ["--secret=MY_TOKEN"]}, {"flags": "--secret=MY_TOKEN"}, {"kind": "serve", "name": "s", "secret": ["MY_TOKEN"]},
           {"kind": "sweep", "name": "w", "param": ["x=1"], "minimize": ["l"], "secret": ["MY_TOKEN"]}]
with Client("--allow", "submit,run,sweep,serve") as client:
    for arguments in SECRETS:
        error = client.error("plan", command=ENV, **arguments)
        text = json.dumps(error)
        assert "kml mcp does not copy the variable MY_TOKEN" in text and "--secret-names MY_TOKEN" in text, (arguments, error)
    # The error about a variable without a value names a flag that helps, so the next plan is not rejected
    # again.
    assert "--secret-names" in client.error("plan", command=ENV, env=["MY_TOKEN"])["fix"]
    # Tests the same in a pipeline, and in a rerun of a user's job.
    started = client.tool("plan", **run_of(1, secrets=["MY_TOKEN"], command=ENV))
    assert "MY_TOKEN" in json.dumps(started) and started.get("isError"), started
    started = client.tool("plan", **run_of(2, env=["MY_TOKEN"], command=ENV))
    assert "value-of-the-token" not in json.dumps(started), started
    subprocess.run([KML, "submit", "--name", "users", "--secret", "MY_TOKEN", "--wait", "--", "true"], check=True, capture_output=True)
    assert "does not copy the variable MY_TOKEN" in json.dumps(client.error("plan", kind="rerun", run="users"))
with Client("--allow", "submit", "--secret-names", "OTHER_TOKEN,MY_TOKEN") as client:
    planned = client.data("plan", name="allowed", secret=["MY_TOKEN"], command=ENV)
    client.data("apply", plan=planned["id"])
    client.data("wait", names=["allowed"])
    assert "token=value-of-the-token" in json.dumps(client.data("logs", names=["allowed"]))
    assert "does not copy the variable HOME" in json.dumps(client.error("plan", secret=["HOME"], command=ENV))

# Tests files and folders of this machine, or of a node.
OTHERS = [{"mount": ["/etc:/x"]}, {"mount": ["host//etc:/x"]}, {"mount": ["host/etc:/x"]}, {"mount": ["../outside:/x"]}, {"mount": [f"host/{OUTSIDE}:/x"]},
          {"mount": ["host//etc:/x:ro"]}, {"flags": ["--mount=host/etc:/x"]}, {"code": ".."}, {"code": OUTSIDE}, {"requirements": "../outside/file"},
          {"secret": ["X=@../outside/file"]}, {"secret": ["X=@.hidden"]},
          template_of("host.yaml", {"hostPath": {"path": "/etc"}}), template_of("up.yaml", {"hostPath": {"path": os.getcwd() + "/../outside"}}),
          run_of(3, inputs={"f": {"path": "/etc/hostname"}}, command=["cat", "${in.f}"]), run_of(4, inputs={"f": {"path": "../outside/file"}}, command=["cat", "${in.f}"]),
          run_of(5, inputs={"f": {"path": ".hidden"}}, command=["cat", "${in.f}"]), run_of(6, code={"folder": "..", "paths": ["outside/file"]}),
          run_of(7, template="../outside/file.yaml"), run_of(8, requirements="../outside/file"), run_of(9, mounts=["host/etc:/x"]),
          run_of(10, secrets=["X=@../outside/file"])]
FINE = [{"mount": ["./sub:/x"]}, {"mount": [f"host/{os.getcwd()}/sub:/x"]}, {"code": "."}, {"code": "sub"}, {"secret": ["X=@words.txt"]},
        template_of("own.yaml", {"hostPath": {"path": os.getcwd() + "/sub"}}), template_of("none.yaml", {"emptyDir": {}}),
        run_of(11, inputs={"f": {"path": "words.txt"}}, command=["cat", "${in.f}"])]
with Client("--allow", "submit,run") as client:
    for arguments in OTHERS:
        command = {} if "kind" in arguments else {"command": ["true"]}
        error = client.error("plan", **command, **arguments)
        assert "kml mcp does not read " in json.dumps(error), (arguments, error)
    for arguments in FINE:
        command = {} if "kind" in arguments else {"command": ["true"]}
        assert client.data("plan", **{"name": "fine", **arguments}, **command)["id"], arguments
    # Code is sent without hidden files.
    for arguments in ({"code": "."}, run_of(12, code={"folder": "."})):
        command = {} if "kind" in arguments else {"command": ["find", "."]}
        assert client.data("plan", **{"name": "code", **arguments}, **command)["id"], arguments
    planned = client.data("plan", name="finds", code=".", command=["find", "."])["id"]
    client.data("apply", plan=planned)
    client.data("wait", names=["finds"])
    seen = json.dumps(client.data("logs", names=["finds"]))
    assert "words.txt" in seen and ".hidden" not in seen, seen
    # A person who applies the agent's plan sends the same code.
    planned = client.data("plan", name="reviewed", code=".", command=["find", "."])["id"]
    plan_file = pathlib.Path(os.environ["XDG_STATE_HOME"], "kml/mcp/plans", planned + ".json")
    subprocess.run([KML, "apply", plan_file, "--wait"], check=True, capture_output=True)
    assert ".hidden" not in subprocess.run([KML, "logs", "reviewed"], check=True, capture_output=True, text=True).stdout
    # A template cannot reach another namespace, even without -n.
    elsewhere = template_of("elsewhere.yaml", {"emptyDir": {}})
    wrapped = json.loads(pathlib.Path("elsewhere.yaml").read_text())
    wrapped["body"]["metadata"]["namespace"] = "kube-system"
    write("elsewhere.yaml", wrapped)
    assert "its namespace is kube-system" in json.dumps(client.error("plan", command=["true"], **elsewhere))
P
python3 agent.py || fail agent.py
