# Tests arguments that models mistype: the error names the wrong argument and the right one. As the protocol
# asks, errors in a tool's arguments are part of the result, and errors in the request itself have the code
# -32602.
. "$(dirname "$0")/lib.sh"
"$KML" local up >/dev/null 2>&1
export PYTHONPATH=$SOURCE/tests/support
cat >mistyped.py <<'P'
from mcp_client import Client

PROGRAM = {"command": ["true"]}
ROWS = [  # tool, arguments, the wrong name, the right one
    ("why", {"name": "bert"}, "name", "job"),
    ("why", {"jobName": "bert"}, "jobName", "job"),
    ("why", {"job_id": "bert"}, "job_id", "job"),
    ("status", {"job": "bert"}, "job", "names"),
    ("status", {"name": "bert"}, "name", "names"),
    ("logs", {"jobs": ["bert"]}, "jobs", "names"),
    ("logs", {"names": ["bert"], "lines": 3}, "lines", "tail"),
    ("cancel", {"job": "bert"}, "job", "names"),
    ("wait", {"names": ["bert"], "timeOut": "1s"}, "timeOut", "timeout"),
    ("list", {"allNamespaces": True}, "allNamespaces", "all-namespaces"),
    ("list", {"all_namespaces": True}, "all_namespaces", "all-namespaces"),
    ("apply", {"id": "0" * 32}, "id", "plan"),
    ("apply", {"plan_id": "0" * 32}, "plan_id", "plan"),
    ("plan", {"cmd": ["true"]}, "cmd", "command"),
    ("plan", {"args": ["true"]}, "args", "command"),
    ("plan", {**PROGRAM, "timeLimit": "1h"}, "timeLimit", "time-limit"),
    ("plan", {**PROGRAM, "time_limit": "1h"}, "time_limit", "time-limit"),
    ("plan", {**PROGRAM, "environment": ["A=1"]}, "environment", "env"),
    ("plan", {**PROGRAM, "gpu": "1"}, "gpu", "gpus"),
    ("plan", {**PROGRAM, "numGpus": "1"}, "numGpus", "gpus"),
    ("plan", {**PROGRAM, "workingDir": "."}, "workingDir", "chdir"),
    ("plan", {**PROGRAM, "flag": ["--shm=1Gi"]}, "flag", "flags"),
    ("plan", {**PROGRAM, "jobName": "x"}, "jobName", "name"),
    ("plan", {"kind": "sweep", "maxTrials": 3}, "maxTrials", "trials"),
]
VALUES = [  # tool, arguments, what is wrong, the fix
    ("plan", {"command": "python train.py --lr 1"}, "argument command is not a list, but a single string",
     '"command": ["python","train.py","--lr","1"]'),
    ("plan", {"command": "cd x && ls"}, "argument command is not a list, but a single string", '"command": ["sh","-c","cd x && ls"]'),
    ("plan", {"command": '["python", "a.py"]'}, "argument command is not a list, but a single string", '"command": ["python","a.py"]'),
    ("plan", {"command": {"program": "true"}}, "argument command is not a list of strings", ""),
    ("plan", {**PROGRAM, "env": {"A": "1", "B": 2}}, "argument env is not a list of strings", '"env": ["A=1","B=2"]'),
    ("plan", {**PROGRAM, "env": '["A=1"]'}, "argument env is not a list, but a single string", '"env": ["A=1"]'),
    ("plan", {**PROGRAM, "kind": 3}, "argument kind is not a string", ""),
    ("plan", {**PROGRAM, "kind": "job"}, '"job" is not a kind of plan', 'did you mean "submit"?'),
    ("plan", {**PROGRAM, "name": ["x"]}, "argument name is not a string", ""),
    ("list", {"all-namespaces": "yes"}, "argument all-namespaces is not true or false", ""),
    ("status", {"names": '["a", "b"]'}, "argument names is not a list, but a single string", '"names": ["a","b"]'),
    ("why", {}, "argument job is missing", ""),
]
REQUESTS = [  # method, params, the text, the fix
    ("tools/call", {"tool": "why", "arguments": {"job": "x"}}, '"name" is missing', 'did you mean "name"'),
    ("tools/call", {"name": "why", "args": {"job": "x"}}, '"arguments" is missing', 'did you mean "arguments"'),
    ("tools/call", {"name": "why", "input": {"job": "x"}}, '"arguments" is missing', 'did you mean "arguments"'),
    ("tools/call", {"name": "why", "arguments": "bert"}, '"arguments" is not an object', ""),
    ("tools/call", {"name": "wy", "arguments": {}}, "unknown tool wy", 'did you mean "why"?'),
    ("prompts/get", {"name": "diagnose", "arguments": {"name": "bert"}}, "argument job is missing", 'did you mean "job"?'),
    ("resources/read", {"url": "kml://queue"}, '"uri" is missing', 'did you mean "uri"'),
]
with Client("--allow", "submit,sweep,cancel") as client:
    for tool, arguments, wrong, right in ROWS:
        error = client.error(tool, **arguments)
        assert error["what"].endswith(f'has no argument "{wrong}"'), (tool, arguments, error)
        assert error["fix"].startswith(f'did you mean "{right}"? it has: '), (tool, arguments, error)
    for tool, arguments, what, fix in VALUES:
        error = client.error(tool, **arguments)
        assert error["what"] == what and error.get("fix", "").startswith(fix), (tool, arguments, error)
    for method, params, text, fix in REQUESTS:
        error = client.ask(method, **params)["error"]
        assert error["code"] == -32602 and error["message"].startswith(text), (method, params, error)
        assert (error.get("data") or {}).get("fix", "").startswith(fix), (method, params, error)
    # A list with a single name, or a command without arguments, may be given as a string.
    assert "bert" in client.error("status", names="bert")["what"]
    assert client.data("plan", command="true", env="A=1")["id"]
with Client("--progressive") as client:
    for tool, arguments, wrong, right in [
        ("describe", {"name": "why"}, "name", "tool"),
        ("call", {"name": "why", "arguments": {}}, "name", "tool"),
        ("call", {"tool": "queue", "args": {}}, "args", "arguments"),
        ("find", {"q": "why"}, "q", "query"),
    ]:
        error = client.error(tool, **arguments)
        assert error["what"] == f'tool {tool} has no argument "{wrong}"', error
        assert error["fix"].startswith(f'did you mean "{right}"?'), error
P
python3 mistyped.py || fail mistyped.py
