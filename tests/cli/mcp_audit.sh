# Every call of a tool, and every resource read, is in the audit log of kml mcp, even if it is rejected, without the values of variables, and in
# a line of limited size.
. "$(dirname "$0")/lib.sh"
"$KML" local up >/dev/null 2>&1
export PYTHONPATH=$SOURCE/tests/support
cat >agent.py <<'P'
import json

from mcp_client import Client


def lines():
    return [json.loads(line) for line in open("audit.jsonl")]


# Tests calls that start nothing.
with Client("--audit", "audit.jsonl") as client:
    for name, arguments in (("delete", {"names": ["a"]}), ("apply", {"plan": "0" * 32}), ("nonsense", {"x": 1}), ("x" * 100_000, {}), ("plan", "text"), ("plan", ["a"])):
        assert "error" in client.ask("tools/call", name=name, arguments=arguments), name
    assert "error" in client.ask("tools/call", tool="delete", arguments={"names": ["a"]})
with Client("--audit", "audit.jsonl", "--progressive") as client:
    assert client.error("find", bogus=1)
    for name, arguments in (("nonsense", {}), ("call", {"tool": "delete", "arguments": {"names": ["b"]}})):
        assert "error" in client.ask("tools/call", name=name, arguments=arguments), name
    assert "error" in client.ask("tools/call", name="describe", arguments={"tool": "nonsense"})
    for uri in ("kml://nonsense", "https://example.com"):
        assert "error" in client.ask("resources/read", uri=uri), uri
    assert "error" in client.ask("resources/read", url="kml://queue")
kept = lines()
assert [line["tool"] for line in kept[-4:]] == ["describe"] + ["resources/read"] * 3, kept[-4:]
assert all(line["event"] == "refused" for line in kept), kept
del kept[-4:]
assert [line["tool"] for line in kept] == ["delete", "apply", "nonsense", "x" * 100, "plan", "plan", "", "find", "nonsense", "delete"], [line["tool"] for line in kept]
assert all(line["event"] == "refused" and line["why"] and "time" in line for line in kept), kept
assert kept[0]["arguments"] == {"names": ["a"]} and kept[-1]["arguments"] == {"names": ["b"]}, kept

# Tests calls that succeed without a kml process.
with Client("--audit", "answered.jsonl", "--progressive") as client:
    client.tool("find", query="queue")
    client.tool("describe", tool="why")
    client.result("resources/read", uri="kml://schema/queue")
answered = [json.loads(line) for line in open("answered.jsonl")]
assert [(line["event"], line["tool"], line["isError"]) for line in answered] == [
    ("end", "find", False), ("end", "describe", False), ("end", "resources/read", False)], answered
assert answered[0]["arguments"] == {"query": "queue"} and answered[1]["arguments"] == {"tool": "why"}, answered

# Each call has a number. A call that may change something has a line before its first process, and only one,
# although it runs several processes. A new server has another id, so that its numbers are not taken for those
# of the old one.
for name in ("first", "second"):
    with Client("--audit", "calls.jsonl", "--allow", "submit") as client:
        plan = client.data("plan", name=name, command=["true"])
        for _ in range(2):
            client.data("apply", plan=plan["id"])
calls = [json.loads(line) for line in open("calls.jsonl")]
assert [(line["event"], line["tool"], line["call"]) for line in calls] == 2 * [
    ("end", "plan", 1), ("begin", "apply", 2), ("end", "apply", 2), ("begin", "apply", 3), ("end", "apply", 3)], calls
assert len({line["server"] for line in calls[:5]}) == 1 and calls[0]["server"] != calls[5]["server"], calls
assert len({line["call"] for line in kept[:7]}) == 7, kept


# Tests values of variables, given in the right form and in wrong ones, with small letters and without, and other
# arguments that look like secrets.
def shapes(LEAK):
    return [
        {"env": [f"NAME={LEAK}"]}, {"env": f"NAME={LEAK}"}, {"env": {"NAME": LEAK}}, {"env": [{"NAME": LEAK}]}, {"env": [["NAME", LEAK]]},
        {"env": [f"NAME={LEAK}", [f"B={LEAK}"]]}, {"env": f'["NAME={LEAK}"]'}, {"env": [{"name": "NAME", "value": LEAK}]},
        {"env": {"a": {"b": [LEAK]}}}, {"env": [f"a b={LEAK}"]}, {"secret": [f"NAME={LEAK}"]}, {"secret": {"NAME": LEAK}},
        {"flags": [f"--env=NAME={LEAK}"]}, {"flags": [f"--env NAME={LEAK}"]}, {"flags": ["--env", f"NAME={LEAK}"]},
        {"flags": f"--env=NAME={LEAK}"}, {"flags": [[f"--env=NAME={LEAK}"]]}, {"flags": {"env": f"NAME={LEAK}"}}, {"flags": f'["--env=NAME={LEAK}"]'},
        {"flags": [f"--secret=NAME={LEAK}"]}, {"flags": [f"-eNAME={LEAK}"]}, {"flags": ["-e", f"NAME={LEAK}"]}, {"environment": {"NAME": LEAK}},
        {"env_vars": [f"NAME={LEAK}"]}, {"Env": {"NAME": LEAK}}, {"secrets": {"NAME": LEAK}}, {"variables": [[f"NAME={LEAK}"]]}, {"options": {"env": {"NAME": LEAK}}},
        {"name": "n", "job": {"spec": {"env": [{"name": "NAME", "value": LEAK}]}}},
        {"env": {"HF_TOKEN": LEAK}}, {"env": [["NAME", LEAK]]}, {"command": ["env", f"HF_TOKEN={LEAK}", "true"]},
        {"command": ["sh", "-c", f"export DB_PASSWORD='{LEAK}' X=1; true"]}, {"command": ["true", f"--api-key={LEAK}"]},
        {"param": [f"api_key={LEAK}"]}, {"flags": [f"--set=spec.token={LEAK}"]}, {"git": f"https://me:{LEAK}@host/x"},
    ]


# Without "=", a text without small letters is taken for a name.
BARE = [{"env": ["leaked-value"]}, {"env": ["NAME", "leaked-value"]}, {"secret": ["leaked-value"]}, {"secret": "leaked-value"},
        {"env": ["12345678"]}, {"env": ["AKIA0000LEAKED000000"]}]
SHAPES = [(shape, leak) for leak in ("leaked-value", "LEAKED_0", "0123456789") for shape in shapes(leak)] + [(shape, "eaked") for shape in BARE]
with Client("--audit", "shapes.jsonl") as client:
    for shape, _ in SHAPES:
        client.tool("plan", **{"command": ["true"], **shape})
    client.tool("plan", command=["true"], env=[12345678, True, 8765.4321])
    client.tool("plan", command=["python", "train.py", "--lr=0.1", "X=Y"], secret=["HF_TOKEN"], label=["team=vision"])
text = open("shapes.jsonl").read()
assert len(text.splitlines()) == len(SHAPES) + 2
for (shape, leak), line in zip(SHAPES, text.splitlines()):
    arguments = json.dumps(json.loads(line).get("arguments")) + json.loads(line).get("why", "")
    assert leak not in arguments and "LEAKED" not in arguments, (shape, line)
assert "12345678" not in json.dumps([json.loads(line)["arguments"] for line in text.splitlines()]) and "8765.4321" not in text, text.splitlines()[-1]
assert '"env":["NAME=…"]' in text and '"--env=NAME=…"' in text, "the names are kept"
for part in ('"command":["python","train.py","--lr=0.1","X=Y"]', '"secret":["HF_TOKEN"]', '"label":["team=vision"]',
             '"command":["sh","-c","export DB_PASSWORD=… X=1; true"]', '"command":["true","--api-key=…"]'):
    assert part in text, part

# Large arguments.
with Client("--audit", "large.jsonl") as client:
    client.tool("plan", name="large", command=["echo", "x" * 2_000_000])
    client.tool("plan", command=["true"], label=["a=b"] * 100_000, env=["A=" + "y" * 500_000])
    client.tool("plan", **{f"argument-{i}": i for i in range(20_000)})
sizes = [len(line) for line in open("large.jsonl")]
assert len(sizes) == 3 and max(sizes) < 20_000, sizes
first = json.loads(open("large.jsonl").readline())
assert first["arguments"]["name"] == "large" and "bytes were cut" in first["arguments"]["command"], first
P
python3 agent.py || fail agent.py
