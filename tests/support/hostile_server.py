"""An API server in which every name, reason, message and log line tries to control the terminal that shows it.

    hostile_server.py KUBECONFIG      writes a kubeconfig for itself, then serves until it is killed

Every requested object of a kind in KINDS exists, with fields that commands print.
"""

import http.server
import json
import re
import sys

# OSC 52 (clipboard), a private mode, C1 in UTF-8, DEL, BEL, and a word that shows whether the text was printed.
EVIL = "HOSTILE\x1b]52;c;ZXZpbA==\x07\x1b[?1337h\x9b?1337h\x9d0;title\x9c\x7f\x08"
NOW = "2026-11-24T00:00:00Z"


def meta(name, **more):
    return {"name": name + EVIL, "namespace": "default", "uid": "u-" + name, "resourceVersion": "1", "creationTimestamp": NOW,
            "labels": {"kml.dev/job": name, "job-name": name, "batch.kubernetes.io/job-name": name, "evil": EVIL,
                       "kueue.x-k8s.io/queue-name": EVIL, "app.kubernetes.io/managed-by": "kml"},
            "annotations": {"kml.dev/user": EVIL, "kml.dev/command": EVIL}, **more}


def container():
    return {"name": "main", "image": EVIL, "command": ["sh", EVIL],
            "resources": {"requests": {"cpu": "1"}, "limits": {"nvidia.com/gpu": "1"}}}


def job(name):
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": meta(name),
            "spec": {"suspend": False, "template": {"spec": {"containers": [container()], "priorityClassName": EVIL}}},
            "status": {"failed": 1, "startTime": NOW, "conditions": [
                {"type": "Failed", "status": "True", "reason": EVIL, "message": EVIL, "lastTransitionTime": NOW}]}}


def pod(name):
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": name + EVIL, "uid": "u-" + name, "controller": True}
    ended = {"exitCode": 1, "reason": EVIL, "message": EVIL, "startedAt": NOW, "finishedAt": NOW}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta(name, ownerReferences=[owner]),
            "spec": {"nodeName": EVIL, "containers": [container()]},
            "status": {"phase": "Failed", "reason": EVIL, "message": EVIL, "containerStatuses": [
                {"name": "main", "restartCount": 0, "state": {"terminated": ended}}]}}


def node(name):
    return {"apiVersion": "v1", "kind": "Node", "metadata": meta(name), "spec": {"taints": [{"key": EVIL, "effect": "NoSchedule"}]},
            "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10", "nvidia.com/gpu": "2"},
                       "conditions": [{"type": "Ready", "status": "True", "message": EVIL}]}}


def event(name):
    return {"apiVersion": "v1", "kind": "Event", "metadata": meta(name), "type": "Warning", "reason": EVIL, "message": EVIL,
            "involvedObject": {"kind": "Job", "name": name + EVIL, "uid": "u-" + name}, "lastTimestamp": NOW, "count": 1}


def workload(name):
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": name + EVIL, "uid": "u-" + name, "controller": True}
    return {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Workload", "metadata": meta(name, ownerReferences=[owner]),
            "spec": {"queueName": EVIL, "priority": 1, "podSets": [{"name": "main", "count": 1, "template": {"spec": {"containers": [container()]}}}]},
            "status": {"conditions": [{"type": "QuotaReserved", "status": "False", "reason": EVIL, "message": EVIL, "lastTransitionTime": NOW}]}}


def queue(kind):
    return lambda name: {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": kind, "metadata": meta(name), "spec": {"clusterQueue": name + EVIL}, "status": {}}


KINDS = {"jobs": job, "pods": pod, "nodes": node, "events": event, "workloads": workload,
         "localqueues": queue("LocalQueue"), "clusterqueues": queue("ClusterQueue")}


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, code, value, kind="application/json"):
        body = value.encode() if isinstance(value, str) else json.dumps(value, ensure_ascii=False).encode()
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Warning", '299 - "HOSTILE\x9b?1337h"')
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path = self.path.split("?")[0]
        if path.endswith("/log"):
            return self.answer(200, EVIL + "\nTraceback " + EVIL + "\nstep 1 loss=0.5 " + EVIL + "\n", "text/plain")
        if path == "/version":
            return self.answer(200, {"major": "1", "minor": "37", "gitVersion": "v1.37" + EVIL})
        kind = next((kind for kind in KINDS if re.search(rf"/{kind}(/|$)", path)), None)
        if not kind or "/batch.volcano.sh/" in path:  # its jobs are not Kubernetes' Jobs
            return self.refuse(404)
        if "watch=" in self.path:
            return self.answer(200, json.dumps({"type": "MODIFIED", "object": KINDS[kind]("evil")}, ensure_ascii=False) + "\n")
        if path.endswith("/" + kind):
            item = KINDS[kind]("evil")
            return self.answer(200, {"apiVersion": item["apiVersion"], "kind": item["kind"] + "List", "metadata": {"resourceVersion": "1"}, "items": [item]})
        self.answer(200, KINDS[kind]("evil"))

    def refuse(self, code):
        self.answer(code, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": EVIL, "message": EVIL, "code": code})

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.refuse(422) if "refuse" in self.path else self.answer(201, job("evil"))

    def do_PATCH(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.answer(200, job("evil"))

    def do_DELETE(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.refuse(403)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    with open(sys.argv[1] + ".part", "w") as file:
        json.dump({"apiVersion": "v1", "kind": "Config", "current-context": "c" + EVIL,
                   "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{server.server_port}"}}],
                   "users": [{"name": "u", "user": {}}],
                   "contexts": [{"name": "c" + EVIL, "context": {"cluster": "c", "user": "u"}}]}, file)
    import os
    os.rename(sys.argv[1] + ".part", sys.argv[1])
    server.serve_forever()
