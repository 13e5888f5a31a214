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

# Tests values of variables, given in the right form and in wrong ones.
LEAK = "leaked-value"
SHAPES = [
    {"env": [f"NAME={LEAK}"]}, {"env": f"NAME={LEAK}"}, {"env": {"NAME": LEAK}}, {"env": [{"NAME": LEAK}]}, {"env": [["NAME", LEAK]]},
    {"env": [f"NAME={LEAK}", [f"B={LEAK}"]]}, {"env": f'["NAME={LEAK}"]'}, {"env": [LEAK]}, {"env": [{"name": "NAME", "value": LEAK}]},
    {"env": ["NAME", LEAK]}, {"env": {"a": {"b": [LEAK]}}}, {"env": [f"a b={LEAK}"]}, {"secret": [f"NAME={LEAK}"]}, {"secret": {"NAME": LEAK}},
    {"secret": [LEAK]}, {"secret": LEAK}, {"flags": [f"--env=NAME={LEAK}"]}, {"flags": [f"--env NAME={LEAK}"]}, {"flags": ["--env", f"NAME={LEAK}"]},
    {"flags": f"--env=NAME={LEAK}"}, {"flags": [[f"--env=NAME={LEAK}"]]}, {"flags": {"env": f"NAME={LEAK}"}}, {"flags": f'["--env=NAME={LEAK}"]'},
    {"flags": [f"--secret=NAME={LEAK}"]}, {"flags": [f"-eNAME={LEAK}"]}, {"flags": ["-e", f"NAME={LEAK}"]}, {"environment": {"NAME": LEAK}},
    {"env_vars": [f"NAME={LEAK}"]}, {"Env": {"NAME": LEAK}}, {"secrets": {"NAME": LEAK}}, {"variables": [[f"NAME={LEAK}"]]}, {"options": {"env": {"NAME": LEAK}}},
    {"name": "n", "job": {"spec": {"env": [{"name": "NAME", "value": LEAK}]}}},
]
with Client("--audit", "shapes.jsonl") as client:
    for shape in SHAPES:
        client.tool("plan", command=["true"], **shape)
    client.tool("plan", command=["true"], env=[12345678, True, 8765.4321])
text = open("shapes.jsonl").read()
assert len(text.splitlines()) == len(SHAPES) + 1
for shape, line in zip(SHAPES, text.splitlines()):
    assert LEAK not in line, (shape, line)
assert "12345678" not in text and "8765.4321" not in text, text.splitlines()[-1]
assert '"env":["NAME=…"]' in text and '"--env=NAME=…"' in text, "the names are kept"

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
