"""A cluster whose pods send hostile outputs to `kml run`."""

import base64
import gzip
import hashlib
import http.server
import io
import json
import re
import tarfile
import threading
import uuid
import zlib

from attacks.common import EVIL, Kind, kubeconfig, serve


PIPELINE = """apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: p}
spec: {defaults: {image: "i:1"}, steps: {a: {command: ["true"], outputs: {m: folder, f: file, v: value}}}}
"""
NOW = "2026-11-24T00:00:00Z"


def frames(packed):
    """The lines that carry the bytes, and the note about them."""
    digest, pieces = hashlib.sha256(packed).hexdigest(), [packed[at:at + 6000] for at in range(0, len(packed), 6000)]
    begin = f"::kml-step:{digest[:16]} "
    lines = [f"{begin}0/{len(pieces)}"] + [f"{begin}{number + 1}/{len(pieces)} {zlib.crc32(piece):08x} {base64.b64encode(piece).decode()}" for number, piece in enumerate(pieces)]
    return lines, f"kml-step {len(pieces)} {len(packed)} {digest}\n"


def archive(draw, outside):
    """A tar of what kml-step sends, with hostile names, links and kinds."""
    out = io.BytesIO()
    names = draw.choice([["a", "b"], ["a", "b", "a/b", "b/a", "a/b/c"], ["a", "b", "a/b", "b/a", "a/b/c", ".", "..", "../x", "a/../../x", "//x", str(outside / "x"), "a" * 300, "a\n", EVIL, "", "a/.", "./a", "a//b"]])
    targets = [str(outside)] * 10 + ["..", "../../../../..", "a", "b", ".", "", "/", "b/..", "a/b/../../..", "missing", EVIL, "../m"]
    kinds = [tarfile.REGTYPE, tarfile.SYMTYPE] + draw.choice([[], [], [], [tarfile.DIRTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE]])
    with tarfile.open(fileobj=out, mode="w", format=draw.choice([tarfile.GNU_FORMAT] * 5 + [tarfile.PAX_FORMAT])) as tar:
        def add(name, kind=tarfile.REGTYPE, target="", data=b""):
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname, entry.size, entry.mode = kind, target, len(data), draw.choice([0o644, 0o755, 0o4777, 0])
            try:
                tar.addfile(entry, io.BytesIO(data))
            except (ValueError, UnicodeError):
                pass
        digest = hashlib.sha256(b"").hexdigest()
        add("report", data=f"tree m {digest} {draw.choice([0, 5, -1, 10 ** 30])} 1\ntree f {digest} 0 1\nvalue v\n".encode())
        add("value/v", data=draw.choice([b"1", EVIL.encode("utf-8", "replace"), b"[" * 100_000, b"x" * 100_000]))
        if draw.random() < 0.3:
            add("tree/m/z", tarfile.SYMTYPE, str(outside))
            add("tree/m/z/a", tarfile.SYMTYPE, draw.choice(targets))
        for _ in range(draw.randint(1, 4)):
            kind = draw.choice(kinds)
            name = draw.choice(["tree/m/"] * 5 + ["tree/f/", "tree/", ""]) + draw.choice(names) if draw.random() < 0.9 else "tree/m"
            add(name, kind, draw.choice(targets) if kind in (tarfile.SYMTYPE, tarfile.LNKTYPE) else "", b"planted" if kind == tarfile.REGTYPE else b"")
            if kind == tarfile.SYMTYPE and draw.random() < 0.5:
                add(f"{name}/{draw.choice(names)}", *draw.choice([(tarfile.REGTYPE, "", b"planted"), (tarfile.SYMTYPE, draw.choice(targets))]))
    return out.getvalue()


class Cluster(http.server.BaseHTTPRequestHandler):
    """Accepts each object, and pretends to run each Job: its pod has finished with the round's outputs."""

    protocol_version = "HTTP/1.1"
    KINDS = {"jobs": "Job", "pods": "Pod", "events": "Event", "nodes": "Node", "secrets": "Secret", "configmaps": "ConfigMap", "namespaces": "Namespace"}

    def answer(self, code, value):
        body = value.encode() if isinstance(value, str) else json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def missing(self):
        self.answer(404, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404, "message": "not found"})

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path.endswith("/log"):
            begin = f"{NOW} " if "timestamps=true" in query else ""
            return self.answer(200, "".join(f"{begin}{line}\n" for line in self.server.log))
        if path == "/version":
            return self.answer(200, {"major": "1", "minor": "37", "gitVersion": "v1.37.0"})
        match = re.search(rf"/({'|'.join(self.KINDS)})(?:/([^/]+))?$", path)
        if not match:
            return self.missing()
        kind = self.KINDS[match[1]]
        objects = self.server.objects.setdefault(match[1], {})
        if match[2]:
            return self.answer(200, objects[match[2]]) if match[2] in objects else self.missing()
        if "watch=" in query:
            seen = 0
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            while not self.server.over.wait(0.02):
                for one in list(objects.values())[seen:]:
                    line = json.dumps({"type": "ADDED", "object": one}).encode() + b"\n"
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
                    seen += 1
            self.close_connection = True
            return None
        version = "batch/v1" if kind == "Job" else "v1"
        return self.answer(200, {"apiVersion": version, "kind": kind + "List", "metadata": {"resourceVersion": "1"}, "items": list(objects.values())})

    def do_POST(self):
        made = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        plural = self.path.partition("?")[0].rpartition("/")[2]
        if plural.endswith("reviews"):
            return self.answer(201, {**made, "status": {"allowed": True}})
        made.setdefault("metadata", {}).update({"uid": str(uuid.uuid4()), "resourceVersion": "1", "creationTimestamp": NOW, "namespace": "default"})
        name = made["metadata"].setdefault("name", "x")
        if plural == "jobs" and "dryRun" not in self.path:
            labels = {**made["spec"]["template"].get("metadata", {}).get("labels", {}), "job-name": name, "batch.kubernetes.io/job-name": name}
            owner = {"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": made["metadata"]["uid"], "controller": True}
            ended = {"exitCode": 0, "reason": "Completed", "startedAt": NOW, "finishedAt": NOW, "message": self.server.note}
            pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name + "-p", "namespace": "default", "uid": str(uuid.uuid4()), "resourceVersion": "1",
                   "creationTimestamp": NOW, "labels": labels, "ownerReferences": [owner]}, "spec": {**made["spec"]["template"]["spec"], "nodeName": "n"},
                   "status": {"phase": "Succeeded", "containerStatuses": [{"name": made["spec"]["template"]["spec"]["containers"][0]["name"], "restartCount": 0,
                       "containerID": "c://1", "state": {"terminated": {**ended, "containerID": "c://1"}}}]}}
            self.server.objects.setdefault("pods", {})[name + "-p"] = pod
            made["status"] = {"succeeded": 1, "startTime": NOW, "completionTime": NOW, "conditions": [{"type": "Complete", "status": "True", "lastTransitionTime": NOW}]}
        if "dryRun" not in self.path:
            self.server.objects.setdefault(plural, {})[name] = made
        self.answer(201, made)

    def do_PATCH(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        match = re.search(r"/(\w+)/([^/?]+)(?:\?.*)?$", self.path)
        one = self.server.objects.get(match[1], {}).get(match[2]) if match else None
        self.answer(200, one) if one else self.missing()

    do_DELETE = do_PUT = do_PATCH

    def log_message(self, *_):
        pass


class Outputs(Kind):
    def __init__(self, folder):
        super().__init__(folder)
        self.server = serve(Cluster)
        self.env["KUBECONFIG"] = str(self.deep / "kubeconfig")
        kubeconfig(self.deep / "kubeconfig", {"c": self.server.server_port})
        (self.home / "p.yaml").write_text(PIPELINE)
        self.outside, self.reached = self.deep / "outside", 0
        self.outside.mkdir()

    def attack(self, draw):
        self.server.objects, self.server.over = {}, threading.Event()
        (self.outside / "mine").write_text("mine")
        (self.outside / "mine").chmod(0o640)
        tar = archive(draw, self.outside)
        packed = gzip.compress(tar if draw.random() < 0.9 else tar[:draw.randrange(len(tar))])
        self.server.log, self.server.note = frames(packed)
        seen = self.kml("run", "p.yaml", "--name", f"p-{self.attacks}", codes=(1, 2, 3))
        self.server.over.set()
        self.reached += any(what in seen.output for what in (b"cannot unpack", b"cannot keep", b"differs from what the step wrote"))
        if sorted(self.outside.iterdir()) != [self.outside / "mine"] or (self.outside / "mine").read_text() != "mine" or (self.outside / "mine").stat().st_mode & 0o777 != 0o640:
            self.fault(f"a pod's outputs change files outside: {list(self.outside.iterdir())}; {tar!r}")
        allowed = [self.deep / "state", self.deep / "kubeconfig", self.home / "p.yaml", self.outside / "mine"]
        for file in [*self.deep.rglob("*"), *self.work.glob("*")]:
            if not file.is_dir() and not any(file.is_relative_to(place) for place in allowed):
                self.fault(f"a file outside kml's folders: {file}")
                file.unlink()

    def end(self):
        if self.attacks and not self.reached:
            self.fault("no round got as far as the outputs")
        self.server.shutdown()
