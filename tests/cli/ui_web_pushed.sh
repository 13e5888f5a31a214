# kml ui --web: a change of a job reaches the browser because the server pushes it. The lists of this server never have
# the job, so that no request, however often it is repeated, could find it.
. "$(dirname "$0")/lib.sh"
export PYTHONPATH=$SOURCE/tests/support
cat >page.py <<'P'
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess

from pushing_server import PushingServer


def job(status):
    container = {"name": "main", "image": "i", "command": ["true"]}
    return {"apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": "pushed", "namespace": "default", "uid": "u1", "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"completions": 1, "parallelism": 1, "template": {"spec": {"restartPolicy": "Never", "containers": [container]}}},
            "status": status}


def rows_of(response):
    """The rows of the job pushed as they arrive; None once it is dropped, and "synced" when all rows have arrived."""
    event = ""
    for line in response:
        line = line.decode().rstrip("\n")
        event = line[7:] if line.startswith("event: ") else event
        if not line.startswith("data: "):
            continue
        for change in json.loads(line[6:]):
            if change["change"] == "synced":
                yield "synced"
            elif change.get("table") == "jobs" and change["id"].endswith("/pushed"):
                yield change.get("row")
    raise AssertionError("the stream has ended")


def until(rows, is_there):
    for row in rows:
        if is_there(row):
            return


with PushingServer() as server:
    pathlib.Path("kubeconfig").write_text(server.kubeconfig)
    ui = subprocess.Popen([os.environ["KML"], "ui", "--web", "--no-browser", "--kubeconfig", "kubeconfig"], stdout=subprocess.PIPE, text=True)
    try:
        port, entry = re.fullmatch(r"http://127\.0\.0\.1:(\d+)(/enter\S+)\n", ui.stdout.readline()).groups()
        connection = http.client.HTTPConnection("127.0.0.1", int(port))
        connection.request("GET", entry)
        entered = connection.getresponse()
        cookie, page = entered.getheader("Set-Cookie").split(";")[0], entered.read().decode()
        key = re.search(r'content="([0-9a-f]{64})"', page)[1]
        stream = http.client.HTTPConnection("127.0.0.1", int(port))
        stream.request("GET", "/data/changes", headers={"Cookie": cookie, "X-Kml-Key": key})
        rows = rows_of(stream.getresponse())
        until(rows, lambda row: row == "synced")
        before = len(server.asked)
        for status, kind, is_there in (
                ({"active": 1, "ready": 0, "startTime": "2026-01-01T00:00:01Z"}, "ADDED", lambda row: row and row != "synced"),
                ({"active": 1, "ready": 1, "startTime": "2026-01-01T00:00:01Z"}, "MODIFIED", lambda row: row and row["state"] == "Running"),
                ({"succeeded": 1, "conditions": [{"type": "Complete", "status": "True"}]}, "MODIFIED",
                 lambda row: row and row["state"] == "Succeeded"),
                ({"succeeded": 1}, "DELETED", lambda row: row is None)):
            assert server.push("jobs", job(status), kind), "no watch of jobs is open"
            until(rows, is_there)
        lists = [path for path in server.asked[before:] if re.match(r"/apis/batch/v1/.*jobs\b", path) and "watch=" not in path]
        assert not lists, "jobs were listed again: " + str(lists)
    finally:
        ui.send_signal(signal.SIGINT)
        ui.wait()
print("ok")
P
expect 0 timeout 1000 python3 page.py
contains "$out" ok
