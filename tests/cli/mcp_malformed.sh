# 1,000 malformed messages: none causes an internal error, nothing is created, and the server still answers.
. "$(dirname "$0")/lib.sh"
"$KML" local up >/dev/null 2>&1
export PYTHONPATH=$SOURCE/tests/support
cat >malformed.py <<'P'
import json
import random
import subprocess

from mcp_client import KML, Client

seed = random.randrange(10**6)
draw = random.Random(seed)
whole = [
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}}},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "why", "arguments": {"job": "bert"}}},
    {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "apply", "arguments": {"plan": "0" * 32}}},
    {"jsonrpc": "2.0", "id": 5, "method": "resources/read", "params": {"uri": "kml://job/bert/why"}},
    {"jsonrpc": "2.0", "id": 6, "method": "prompts/get", "params": {"name": "diagnose", "arguments": {"job": "b"}}},
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}},
]
odd = [None, True, -1, 1.5, 10**30, "", "x" * 3000, "\u0000", "-A", "../..", [], [[]], {}, {"a": None}, "\ud800", "kml://", "kml://job//log"]


def changed(value):
    """The value with one part replaced, removed or renamed."""
    if isinstance(value, dict) and value and draw.random() < 0.8:
        key = draw.choice(list(value))
        rest = {k: v for k, v in value.items() if k != key}
        kind = draw.randrange(4)
        return rest if kind == 0 else {**rest, key + "x": value[key]} if kind == 1 else {**value, key: changed(value[key])}
    return draw.choice(odd)


def broken(line):
    at = draw.randrange(len(line))
    kind = draw.randrange(5)
    if kind == 0:
        return line[:at]
    if kind == 1:
        return line[:at] + bytes([draw.randrange(256)]).replace(b"\n", b" ") + line[at + 1:]
    if kind == 2:
        return b"[" * draw.randrange(1, 3000) + line
    if kind == 3:
        return b"[" + line + b"," + line + b"]"
    return draw.randbytes(draw.randrange(1, 200)).replace(b"\n", b" ")


with Client("--allow", "submit,cancel,delete,suspend") as client:
    for i in range(1000):
        message = changed(draw.choice(whole))
        if isinstance(message, dict) and message.get("id") in range(1, 7):
            message["id"] = 1000 + i
        line = json.dumps(message).encode()
        client.write(broken(line) if draw.random() < 0.4 else line)
    client.write(b'{"jsonrpc": "2.0", "id": 5000, "method": "x", "params": {"a": "' + b"x" * (5 << 20) + b'"}}')
    client.next_id = 9000
    assert client.result("ping") == {}, seed
    assert len(client.result("tools/list")["tools"]) > 10, seed
    for answer in [*client.seen, *client.results.values()]:
        assert answer["jsonrpc"] == "2.0" and ("result" in answer) != ("error" in answer), (seed, answer)
        assert answer.get("error", {}).get("code", -32600) != -32603, (seed, answer)
    assert any(answer["error"]["code"] == -32700 for answer in client.seen), seed
    assert any("4 MiB" in answer["error"]["message"] for answer in client.seen), seed
assert client.process.returncode == 0, seed
assert subprocess.run([KML, "list", "-o", "name"], capture_output=True, text=True, check=True).stdout == "", seed
P
python3 malformed.py || fail malformed.py
