#!/usr/bin/env python3
"""The part of MLflow's REST API 2.0 that `kml runs push` needs, with the limits of MLflow 3.17 (mlflow/utils/validation.py).

    fake_mlflow.py PORT_FILE [--user NAME:PASSWORD] [--fail-at N] [--foreign-host]

Writes its port into PORT_FILE. GET /state returns all it knows as JSON. --fail-at: the N-th log-batch gets status 503, once;
--foreign-host: gives the answer of MLflow to a Host header that it does not accept. tests/peers/mlflow/run has the
real server."""

import argparse
import base64
import http.server
import json
import os
import posixpath
import re
import threading
import urllib.parse

parser = argparse.ArgumentParser()
parser.add_argument("port_file")
parser.add_argument("--user")
parser.add_argument("--fail-at", type=int)
parser.add_argument("--foreign-host", action="store_true")
options = parser.parse_args()

lock = threading.Lock()
experiments, runs, artifacts = {"Default": "0"}, {}, {}
counts = {"log_batch": 0, "requests": 0}


class Refusal(Exception):
    def __init__(self, status, code, message):
        self.status, self.body = status, {"error_code": code, "message": message}


def check(holds, message):
    if not holds:
        raise Refusal(400, "INVALID_PARAMETER_VALUE", message)


def check_key(key):
    check(isinstance(key, str) and re.match(r"^[/\w.\- :]*$", key), f"Invalid name {key!r}")
    normal = posixpath.normpath(key)
    check(normal == key and normal != "." and not normal.startswith(("..", "/")), f"Names must not be paths: {key!r}")
    check(len(key) <= 250, f"{key[:20]} is too long")


def get_by_name(query):
    name = query["experiment_name"][0]
    if name not in experiments:
        raise Refusal(404, "RESOURCE_DOES_NOT_EXIST", f"Could not find experiment with name '{name}'")
    return {"experiment": {"experiment_id": experiments[name], "name": name, "lifecycle_stage": "active"}}


def create_experiment(body):
    if body["name"] in experiments:
        raise Refusal(400, "RESOURCE_ALREADY_EXISTS", "it exists")
    experiments[body["name"]] = str(len(experiments))
    return {"experiment_id": experiments[body["name"]]}


def info_of(run):
    return {"run_id": run["run_id"], "artifact_uri": f"mlflow-artifacts:/{run['experiment_id']}/{run['run_id']}/artifacts"}


def search(body):
    key, value = re.fullmatch(r"tags\.`(.+)` = '(.*)'", body["filter"]).groups()
    found = [run for run in runs.values() if run["experiment_id"] in body["experiment_ids"] and run["tags"].get(key) == value]
    pairs = lambda values: [{"key": k, "value": v} for k, v in values.items()]
    return {"runs": [{"info": info_of(run), "data": {"params": pairs(run["params"]), "tags": pairs(run["tags"])}}
                     for run in found[:body["max_results"]]]}


def create_run(body):
    run_id = os.urandom(16).hex()
    runs[run_id] = {"run_id": run_id, "experiment_id": body["experiment_id"], "name": body.get("run_name"), "start": body["start_time"],
                    "params": {}, "metrics": [], "tags": {tag["key"]: tag["value"] for tag in body.get("tags", [])}}
    return {"run": {"info": info_of(runs[run_id])}}


def log_batch(body):
    counts["log_batch"] += 1
    if counts["log_batch"] == options.fail_at:
        raise Refusal(503, "TEMPORARILY_UNAVAILABLE", "try again")
    metrics, params, tags = (body.get(kind, []) for kind in ("metrics", "params", "tags"))
    check(len(metrics) <= 1000 and len(params) <= 100 and len(tags) <= 100, "too many in a batch")
    check(len(json.dumps(body)) <= 1_000_000, "the batch is too large")
    run = runs[body["run_id"]]
    for param in params:
        check_key(param["key"])
        check(len(param["value"]) <= 6000, "the parameter is too long")
        check(run["params"].setdefault(param["key"], param["value"]) == param["value"], "Changing param values is not allowed")
    for tag in tags:
        check_key(tag["key"])
        check(len(tag["value"]) <= 8000, "the tag is too long")
        run["tags"][tag["key"]] = tag["value"]
    for metric in metrics:
        check_key(metric["key"])
        check(isinstance(metric["timestamp"], int) and isinstance(metric["step"], int), "not whole")
        check(metric["value"] in ("NaN", "Infinity", "-Infinity") or isinstance(metric["value"], (int, float)), "not a number")
        run["metrics"].append([metric["key"], metric["step"], metric["value"], metric["timestamp"]])
    return {}


def set_tag(body):
    runs[body["run_id"]]["tags"][body["key"]] = body["value"]
    return {}


def update(body):
    runs[body["run_id"]].update({key: body[key] for key in ("status", "end_time") if key in body})
    return {}


POST = {"experiments/create": create_experiment, "runs/search": search, "runs/create": create_run, "runs/log-batch": log_batch,
        "runs/set-tag": set_tag, "runs/update": update}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, text, kind="application/json"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def handle_call(self, call):
        counts["requests"] += 1
        wanted = options.user and "Basic " + base64.b64encode(options.user.encode()).decode()
        if options.foreign_host:
            return self.answer(403, "Invalid Host header - possible DNS rebinding attack detected", "text/plain")
        if wanted and self.headers.get("Authorization") != wanted:
            return self.answer(401, "You are not authenticated.", "text/plain")
        try:
            with lock:
                answer = call()
                self.answer(200, "" if answer is None else json.dumps(answer))
        except Refusal as refusal:
            self.answer(refusal.status, json.dumps(refusal.body))

    def do_GET(self):
        url = urllib.parse.urlparse(self.path)
        if url.path == "/state":
            return self.answer(200, json.dumps({"experiments": experiments, "runs": list(runs.values()), "artifacts": artifacts, **counts}))
        if url.path != "/api/2.0/mlflow/experiments/get-by-name":
            return self.answer(404, "<html>Not Found</html>", "text/html")
        self.handle_call(lambda: get_by_name(urllib.parse.parse_qs(url.query)))

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        path = urllib.parse.unquote(self.path.removeprefix("/api/2.0/mlflow-artifacts/artifacts/"))
        self.handle_call(lambda: artifacts.update({path: body.decode("latin-1")}))

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        call = POST.get(self.path.removeprefix("/api/2.0/mlflow/"))
        if not call:
            return self.answer(404, "<html>Not Found</html>", "text/html")
        self.handle_call(lambda: call(json.loads(body)))

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(options.port_file + ".new", "w") as out:
    out.write(str(server.server_port))
os.rename(options.port_file + ".new", options.port_file)
server.serve_forever()
