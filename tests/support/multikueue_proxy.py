"""Makes an embedded server seem to be two clusters: through this proxy it is one whose Kueue copies all jobs to another
cluster (MultiKueue), which is the server itself. Through the proxy, jobs have no pods, their spec.managedBy is
Kueue, and the job bert has a Workload, whose cluster is the content of the file FILE. While FILE does not exist or is
empty, jobs are suspended. If the Workload is deactivated, the job is suspended at once, and the copy is deleted a second
later. The file FILE.held has the job from then on.

    multikueue_proxy.py URL TOKEN FILE

Prints the port on which it listens, for http://127.0.0.1:PORT.
"""
import http.server
import json
import os
import re
import ssl
import sys
import threading
import time
import urllib.error
import urllib.request

URL, TOKEN, FILE = sys.argv[1:]
HELD = FILE + ".held"
JOB = "/apis/batch/v1/namespaces/default/jobs/bert"
WORKLOADS = "/apis/kueue.x-k8s.io/v1beta2/namespaces/default/workloads"


def cluster():
    return open(FILE).read().strip() if os.path.exists(FILE) else ""


def workload(uid):
    """As Kueue 0.19 makes it for a Job."""
    name = cluster()
    conditions = [{"type": "QuotaReserved", "status": "True", "reason": "QuotaReserved", "message": ""}]
    check = {"name": "there", "state": "Ready" if name else "Pending", "message": f'The workload was admitted on "{name}"' if name else ""}
    status = {"conditions": conditions, "admissionChecks": [check]}
    if name:
        status["clusterName"] = name
        conditions.append({"type": "Admitted", "status": "True", "reason": "Admitted", "message": ""})
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload",
            "metadata": {"name": "job-1a2b3", "namespace": "default", "uid": "w", "resourceVersion": str(1 + bool(name)),
                         "labels": {"kueue.x-k8s.io/job-uid": uid},
                         "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "bert", "uid": uid, "controller": True}]},
            "spec": {"active": not os.path.exists(HELD), "queueName": "lq", "podSets": []}, "status": status}


def as_here(job):
    """The job, as the cluster has it from which it is copied."""
    if job.get("kind") == "Job":
        job["spec"]["managedBy"] = "kueue.x-k8s.io/multikueue"
        if not cluster():
            job["spec"]["suspend"] = True
            job["status"] = {}
    return job


def held():
    return json.load(open(HELD))


def hold(job):
    with open(HELD + ".new", "w") as file:
        json.dump(job, file)
    os.rename(HELD + ".new", HELD)


def ask(path, method="GET"):
    request = urllib.request.Request(URL + path, headers={"Authorization": "Bearer " + TOKEN}, method=method)
    return json.load(urllib.request.urlopen(request, context=ssl._create_unverified_context()))


def deactivate():
    """As Kueue does: the job here is suspended, and the copy is deleted some time later."""
    job = as_here(ask(JOB))
    job["spec"]["suspend"] = True
    job["status"] = {}
    hold(job)
    threading.Timer(1, lambda: ask(JOB + "?propagationPolicy=Background", "DELETE")).start()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *ignored):
        pass

    def answer(self, data, status=200):
        data = data if isinstance(data, bytes) else json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def watch(self, uid):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Connection", "close")
        self.end_headers()
        known = None
        while True:
            now = workload(uid)
            if now != known:
                events = [{"type": "MODIFIED" if known else "ADDED", "object": now}]
                if not known and "sendInitialEvents=true" in self.path:
                    events.append({"type": "BOOKMARK", "object": {"kind": "Workload", "apiVersion": "kueue.x-k8s.io/v1beta2", "metadata": {
                        "resourceVersion": now["metadata"]["resourceVersion"], "annotations": {"k8s.io/initial-events-end": "true"}}}})
                for event in events:
                    self.wfile.write(json.dumps(event).encode() + b"\n")
                self.wfile.flush()
                known = now
            time.sleep(0.05)

    def forward(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))) or None
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "content-length", "accept-encoding")}
        request = urllib.request.Request(URL + self.path, body, headers | {"Authorization": "Bearer " + TOKEN}, method=self.command)
        try:
            return urllib.request.urlopen(request, context=ssl._create_unverified_context())
        except urllib.error.HTTPError as error:
            return error

    def do_GET(self):
        path = self.path.split("?")[0]
        if path == "/apis/kueue.x-k8s.io":
            version = {"groupVersion": "kueue.x-k8s.io/v1beta2", "version": "v1beta2"}
            return self.answer({"kind": "APIGroup", "apiVersion": "v1", "name": "kueue.x-k8s.io", "versions": [version], "preferredVersion": version})
        if path in (WORKLOADS, "/apis/kueue.x-k8s.io/v1beta2/workloads"):
            uid = (held() if os.path.exists(HELD) else ask(JOB))["metadata"]["uid"]
            if "watch=" in self.path:
                return self.watch(uid)
            return self.answer({"kind": "WorkloadList", "apiVersion": "kueue.x-k8s.io/v1beta2", "metadata": {"resourceVersion": "1"}, "items": [workload(uid)]})
        if re.match(r"/api/v1/(namespaces/default/)?pods$", path) and "watch=" not in self.path:
            return self.answer({"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": []})
        if path == JOB and os.path.exists(HELD):
            return self.answer(held())
        found = self.forward()
        if re.match(r"/apis/batch/v1/namespaces/default/jobs/[^/]+$", path) and found.status == 200:
            return self.answer(as_here(json.load(found)))
        if "watch=" not in self.path:
            return self.answer(found.read(), found.status)
        self.send_response(found.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Connection", "close")
        self.end_headers()
        for line in found:
            event = json.loads(line)
            event["object"] = as_here(event["object"])
            self.wfile.write(json.dumps(event).encode() + b"\n")
            self.wfile.flush()


    def do_PATCH(self):
        change = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.startswith(WORKLOADS):
            if not change["spec"]["active"]:
                deactivate()
            return self.answer(workload(ask(JOB)["metadata"]["uid"]))
        job = held()
        job["metadata"].setdefault("annotations", {}).update(change.get("metadata", {}).get("annotations", {}))
        job["spec"].update(change.get("spec", {}))
        hold(job)
        return self.answer(job)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True


server = Server(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
