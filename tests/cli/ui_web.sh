# Tests kml ui --web: who may read the page, what it sends as jobs change, details, actions, and the static
# page of --once.
. "$(dirname "$0")/lib.sh"
"$KML" local up --fake-gpus 4 >/dev/null 2>&1
cat >page.py <<'P'
import html.parser
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

KML = os.environ["KML"]
HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror='window.hacked=1'>\x1b]0;x\x07"


def kml(*words):
    return subprocess.run([KML, *words], capture_output=True, text=True, check=True).stdout


class Web:
    """`kml ui --web` as a process."""

    def __init__(self, *flags):
        self.process = subprocess.Popen([KML, "ui", "--web", "--no-browser", *flags], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)(/enter\?token=[0-9a-f]{64})", self.address)
        assert found, self.address
        self.port, self.entry = int(found[1]), found[2]
        self.cookie, self.key = "", ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(60) == 130, self.process.returncode

    def open(self, path, method="GET", body=None, drop=(), **headers):
        """The response, still unread. The headers are those of the page, without those in `drop`."""
        own = {"Host": f"127.0.0.1:{self.port}", "Cookie": self.cookie, "X-Kml-Key": self.key}
        if method == "POST":
            own.update({"Origin": f"http://127.0.0.1:{self.port}", "Content-Type": "application/json"})
        own.update({name.replace("_", "-"): value for name, value in headers.items()})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.putrequest(method, path, skip_host=True)
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        if data is not None:
            own["Content-Length"] = str(len(data))
        for name, value in own.items():
            if value and name not in drop:
                connection.putheader(name, value)
        connection.endheaders(data)
        response = connection.getresponse()
        response.connection = connection
        return response

    def status(self, *words, **more):
        return self.open(*words, **more).status

    def data(self, path, **more):
        response = self.open(path, **more)
        text = response.read()
        assert response.status == 200, (response.status, text)
        return json.loads(text)

    def enter(self):
        response = self.open(self.entry)
        text = response.read().decode()
        assert response.status == 200, text
        cookie = response.getheader("Set-Cookie")
        assert "HttpOnly" in cookie and "SameSite=Strict" in cookie, cookie
        self.cookie = cookie.split(";")[0]
        self.key = re.search(r'content="([0-9a-f]{64})"', text)[1]

    def events(self, path):
        """The events of a stream, as (event, data, when)."""
        response, name = self.open(path), None
        assert response.status == 200, response.read()
        for line in response:
            line = line.decode().rstrip("\n")
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                yield name, json.loads(line[6:]), time.monotonic()


def rows_until(events, rows, is_there):
    """Applies changes to `rows` of jobs until is_there(rows); returns when that was."""
    if is_there(rows):
        return time.monotonic()
    for event, changes, when in events:
        if event == "all":
            rows.clear()
            continue
        for change in changes:
            if change.get("table") != "jobs":
                continue
            if change["change"] == "set":
                rows[change["row"]["name"]] = change["row"]
            else:
                rows.pop(change["id"].split("/")[-1], None)
        if is_there(rows):
            return when
    raise AssertionError("the stream has ended")


kml("submit", "--name", "first", "--wait", "--", "sh", "-c", f"echo \"{HOSTILE}\"; echo loss=0.5")

with Web() as web:
    # Before the token is used, these requests are rejected.
    for path in ("/", "/app.js", "/data/changes", "/data/settings"):
        assert web.status(path) == 403, path
    assert web.status("/enter?token=" + "0" * 64) == 403
    assert web.status("/enter") == 403
    web.enter()
    assert web.status(web.entry, drop=("Cookie",)) == 403  # once
    # Tests the page, and what it may load.
    page = web.open("/", drop=("X-Kml-Key",))
    text = page.read().decode()
    policy = page.getheader("Content-Security-Policy")
    assert "default-src 'none'; script-src 'self'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy, policy
    assert page.getheader("Cache-Control") == "no-store" and page.getheader("Referrer-Policy") == "no-referrer"
    scripts = re.findall(r"<script[^>]*>", text)
    assert scripts == ['<script src="/app.js">'], scripts
    assert not re.search(r"https?://|\son\w+=|style=", text), text
    for path in ("/app.js", "/app.css", "/enter.js"):
        assert web.status(path, drop=("X-Kml-Key",)) == 200, path
    # Wrong requests are rejected. Each row has one thing that is wrong with the request.
    own = f"http://127.0.0.1:{web.port}"
    for wrong in ({"Host": "attacker.example"}, {"Host": f"attacker.example:{web.port}"}, {"Host": "127.0.0.1"},
                  {"Origin": "http://attacker.example"}, {"Origin": "null"}, {"Origin": own + "0"},
                  {"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"},
                  {"Cookie": f"kml-ui-{web.port}=" + "0" * 64}, {"X_Kml_Key": "0" * 64}, {"X_Kml_Key": web.key[:-1]}):
        assert web.status("/data/settings", **wrong) == 403, wrong
    for missing in ("Cookie", "X-Kml-Key", "Host"):
        assert web.status("/data/settings", drop=(missing,)) in (400, 403), missing
    for method in ("PUT", "DELETE", "OPTIONS", "HEAD"):
        assert web.status("/data/settings", method=method) == 405, method
    assert web.data("/data/settings") == {"actions": False}
    assert web.data("/data/settings", Origin=own, Sec_Fetch_Site="same-origin") == {"actions": False}
    # Only a valid request becomes a command.
    for query in ("cluster=local&name=--kubeconfig%3D/etc/passwd", "cluster=other&name=first", "cluster=local", "cluster=local&name=a&name=b"):
        assert web.status(f"/data/why?{query}") == 400, query
    assert web.status("/data/nothing") == 404
    assert web.status("/data/ask", method="POST", body={"action": "cancel", "cluster": "local", "name": "first"}) == 403
    # First all rows arrive, and then each change separately.
    rows, events = {}, web.events("/data/changes")
    rows_until(events, rows, lambda rows: rows.get("first", {}).get("state") == "Succeeded")
    kml("submit", "--name", "second", "--gpus", "1", "--", "sleep", "1000")
    rows_until(events, rows, lambda rows: rows.get("second", {}).get("state") == "Running")
    kml("submit", "--name", "large", "--gpus", "4", "--", "sleep", "1000")
    rows_until(events, rows, lambda rows: rows.get("large", {}).get("cause"))
    # Details are the output of kml's own commands.
    why = web.data("/data/why?cluster=local&namespace=default&name=large")
    assert why["data"]["job"] == "large" and why["data"]["state"] == "Waiting", why
    missing = web.data("/data/why?cluster=local&namespace=default&name=nothing")
    assert "data" not in missing and "nothing" in missing["error"]["what"], missing
    assert "{" not in missing["error"]["what"] and "kml list" in missing["error"]["fix"], missing
    timeline = web.data("/data/timeline?cluster=local&namespace=default&name=first")
    assert timeline["data"]["jobs"][0]["name"] == "first", timeline
    runs = web.data("/data/runs?cluster=local&name=first")
    assert runs["data"]["runs"][0]["name"] == "first", runs
    assert rows["first"]["podCounts"] == "1/1", rows["first"]
    log = [(event, data) for event, data, _ in web.events("/data/log?cluster=local&namespace=default&name=first")]
    lines = [line for event, data in log if event == "lines" for line in data]
    assert ["loss", 0.5] in [metric for event, data in log if event == "metrics" for metric in data], log
    assert any("window.hacked" in line for line in lines) and not any("\x1b" in line for line in lines), log
    assert log[-1][0] == "end" and log[-1][1]["exitCode"] == 0, log
    # A client that connects and sends nothing does not prevent the page from getting its data.
    idle = [http.client.HTTPConnection("127.0.0.1", web.port) for _ in range(120)]
    for each in idle:
        each.connect()
    kml("cancel", "second")
    rows_until(events, rows, lambda rows: rows["second"]["state"] == "Cancelled")
    for each in idle:
        each.close()

with Web("--actions") as web:
    web.enter()
    assert web.data("/data/settings") == {"actions": True}
    question = {"action": "cancel", "cluster": "local", "namespace": "default", "name": "large"}
    for body, wrong in ((question, {"Origin": "http://attacker.example"}), (question, {"X_Kml_Key": "0" * 64}),
                        (question, {"Content_Type": "text/plain"})):
        assert web.status("/data/ask", method="POST", body=body, **wrong) in (403, 415), wrong
    assert web.status("/data/ask", method="POST", body=question, drop=("Origin",)) == 403
    for wrong in ({"action": "delete"}, {"name": "-A"}, {"cluster": "other"}):
        assert web.status("/data/ask", method="POST", body={**question, **wrong}) == 400, wrong
    assert web.status("/data/ask", method="POST", body=b"{") == 400
    asked = web.data("/data/ask", method="POST", body=question)
    assert asked["command"] == "kml cancel large --context local -n default", asked
    assert kml("status", "large", "-o", "jsonpath={.metadata.name}") == "large"
    done = web.data("/data/act", method="POST", body={"id": asked["id"]})
    assert done["exitCode"] == 0 and "cancelled" in done["out"] + done["errors"], done
    assert web.status("/data/act", method="POST", body={"id": asked["id"]}) == 409  # once
    assert web.status("/data/act", method="POST", body={"id": "guess"}) == 409

# Commands to copy, and those that are shown before they run, name the kubeconfig that the user has named.
with open("dead.json", "w") as file:
    cluster = {"name": "dead", "cluster": {"server": "https://127.0.0.1:1"}}
    json.dump({"apiVersion": "v1", "kind": "Config", "users": [{"name": "me", "user": {}}], "clusters": [cluster],
               "contexts": [{"name": "dead", "context": {"cluster": "dead", "user": "me"}}]}, file)
with Web("--actions", "--context", "local,dead", "--kubeconfig", "dead.json") as web:
    web.enter()
    assert web.data("/data/settings") == {"actions": True, "kubeconfig": "dead.json"}
    asked = web.data("/data/ask", method="POST", body={**question, "action": "rerun", "name": "first"})
    assert asked["command"] == "kml rerun first --context local -n default --kubeconfig dead.json", asked

print("ok")
P
expect 0 python3 page.py
contains "$out" ok

expect 2 "$KML" ui --actions
contains "$err" "--actions needs --web"
expect 2 "$KML" ui --web --once page.html --actions
expect 2 "$KML" ui --web --port 70000
# A page of a cluster that cannot be read would show that there is nothing.
expect 5 "$KML" ui --web --once dead.html --context dead --kubeconfig dead.json
contains "$err" "no cluster could be read"
[ ! -e dead.html ] || fail "a page was written"

# --once writes the page as one file, with the same rows, including the rows of schedules and served models.
expect 0 "$KML" submit --name nightly --cron '0 3 * * *' -- true
expect 0 "$KML" serve web -- sh -c 'exec python3 -m http.server $PORT'
expect 0 "$KML" ui --web --once page.html
[ "$out" = page.html ] || fail "$out"
for name in large nightly web; do contains "$(cat page.html)" "\"name\":\"$name\""; done
python3 - <<'P'
import json, re
changes = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', open("page.html").read(), re.S)[1])["changes"]
there = {(change["table"], change["row"]["name"]) for change in changes if change["change"] == "set"}
assert {("schedules", "nightly"), ("serves", "web")} <= there, there
P
[ "$(grep -c '<script' page.html)" = 2 ] || fail "scripts: $(grep -n '<script' page.html)"
