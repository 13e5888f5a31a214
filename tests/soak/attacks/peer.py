"""Peers that never stop sending: servers, pods, buckets and files of which kml may hold only a part."""

import base64
import hashlib
import http.server
import json
import random
import struct

from attacks.common import Kind, serve

NOW = "2026-11-24T00:00:00Z"
MiB = 1 << 20
LONG = 3000 * MiB  # more than kml may use; whoever sends it stops when kml hangs up


def meta(name, **more):
    return {"name": name, "namespace": "default", "uid": "u-" + name, "resourceVersion": "1", "creationTimestamp": NOW, **more}


def job(name):
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": meta(name, labels={"app.kubernetes.io/managed-by": "kml"}),
            "spec": {"template": {"spec": {"containers": [{"name": "main", "image": "i:1"}]}}}, "status": {"active": 1, "startTime": NOW}}


def pod(name):
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": "u-" + name, "controller": True}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta(name + "-0", ownerReferences=[owner], labels={"job-name": name, "batch.kubernetes.io/job-name": name}),
            "spec": {"nodeName": "n", "containers": [{"name": "main", "image": "i:1"}]},
            "status": {"phase": "Running", "startTime": NOW, "conditions": [{"type": "Ready", "status": "True"}],
                       "containerStatuses": [{"name": "main", "ready": True, "restartCount": 0, "state": {"running": {"startedAt": NOW}}}]}}


def varint(number):
    out = b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def repeated(*parts):
    """A piece of about 1 MiB, again and again."""
    piece = b"".join(parts) * (MiB // len(b"".join(parts)) + 1)
    for _ in range(LONG // len(piece)):
        yield piece


def numbered(make):
    for number in range(1 << 30):
        yield b"".join(make(index) for index in range(number * 1000, number * 1000 + 1000))


def after(begin, pieces):
    yield begin
    yield from pieces


PODS, JOBS = b'{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[', b'{"kind":"JobList","apiVersion":"batch/v1","metadata":{"resourceVersion":"1"},"items":['
PROTOBUF = b"k8s\0" + field(1, field(1, b"v1") + field(2, b"PodList")) + varint(2 << 3 | 2) + varint(1 << 60)


def protobuf_pod(number):
    owner = field(1, b"Job") + field(3, b"victim") + field(4, b"u-victim") + field(5, b"batch/v1") + varint(6 << 3) + b"\1"
    return field(2, field(1, field(1, b"p%d" % number) + field(3, b"default") + field(5, b"u%d" % number) + field(13, owner)))


def json_pod(number):
    return json.dumps({**pod("victim"), "metadata": {**pod("victim")["metadata"], "name": f"p{number}", "uid": f"u{number}"}}).encode() + b","


def event(number):
    return b'{"type":"ADDED","object":' + json_pod(number)[:-1] + b"}\n"


def frame(opcode, payload, final=True, announced=None):
    size = len(payload) if announced is None else announced
    head = bytes([opcode | (128 if final else 0)])
    return head + (bytes([size]) if size < 126 else bytes([126]) + struct.pack(">H", size) if size < 1 << 16 else bytes([127]) + struct.pack(">Q", size)) + payload


# Possible bodies of an answer. All but the last begin like JSON.
BODIES = {
    "blanks": lambda: repeated(b" "),
    "a text": lambda: after(b'{"kind":"', repeated(b"x")),
    "values": lambda: after(PODS, repeated(b"{},")),
    "members": lambda: after(b"{", numbered(lambda n: b'"%d":{},' % n)),
    "depth": lambda: repeated(b"["),
    "pods": lambda: after(PODS, numbered(json_pod)),
    "jobs": lambda: after(JOBS, numbered(lambda n: json.dumps({**job(f"j{n}")}).encode() + b",")),
    "html": lambda: repeated(b"<p>\n"),
}
WATCHES = {
    "a line": lambda: after(b'{"type":"ADDED","object":{"metadata":{"name":"', repeated(b"x")),
    "bookmarks in one line": lambda: repeated(b'{"type":"BOOKMARK"},'),
    "pods": lambda: numbered(event),
}
SHELL = {
    "output": lambda: repeated(frame(2, b"\1" + b"x" * 30000)),
    "lines": lambda: repeated(frame(2, b"\1" + b"sha256sum\n" * 3000)),
    "errors": lambda: repeated(frame(2, b"\2" + b"x" * 30000)),
    "status": lambda: repeated(frame(2, b"\3" + b"{" * 30000)),
    "other channels": lambda: repeated(frame(2, b"\7" + b"x" * 30000)),
    "pings": lambda: repeated(frame(9, b"x" * 125)),
    "pongs": lambda: repeated(frame(10, b"")),
    "a message": lambda: repeated(frame(2, b"\1x", final=False), *[frame(0, b"x" * 30000, final=False)] * 30),
    "an announced message": lambda: after(frame(2, b"", announced=1 << 62), repeated(b"x")),
    "empty fragments": lambda: after(frame(2, b"\1", final=False), repeated(frame(0, b"", final=False))),
}
XML = {
    "references": lambda: after(b"<ListBucketResult><EncodingType>", [b"&amp;" * 3_000_000, b"</EncodingType></ListBucketResult>"]),
    "elements": lambda: after(b"<ListBucketResult>", repeated(b"<Contents><Key>k</Key></Contents>")),
    "begins": lambda: repeated(b"<Contents>"),
    "half begins": lambda: repeated(b"<Contents "),
    "a text": lambda: after(b"<Error><Message>", repeated(b"x")),
    "pages": None,
}
# Contents of a manifest or a kubeconfig.
FILES = {
    "laughs": lambda: "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)),
    "values": lambda: "apiVersion: v1\nkind: ConfigMap\ndata:\n" + "- {}\n" * 3_000_000,
    "json": lambda: '{"kind": "Config", "users": [' + "{}," * 5_000_000 + "{}]}",
    "a text": lambda: 'kind: "' + "x" * (40 * MiB) + '"\n',
    "depth": lambda: "[" * 3_000_000,
}


class Endless(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    def log_message(self, *_):
        pass

    def send(self, pieces):
        self.close_connection = True
        for piece in pieces:
            self.wfile.write(piece)

    def answer(self, value, code=200, kind="application/json"):
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def begin(self, code=200, kind="application/json"):
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Connection", "close")
        self.end_headers()

    def upgrade(self):
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
        self.send_header("Sec-WebSocket-Protocol", self.headers["Sec-WebSocket-Protocol"].split(",")[0].strip())
        self.end_headers()

    def do_DELETE(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.do_GET()

    def do_GET(self):
        what, form = self.server.attack
        path = self.path.split("?")[0]
        if what == "s3":
            return self.s3(form)
        if what == "headers":
            return self.send(after(b"HTTP/1.1 200 OK\r\n", repeated(b"X-More: " + b"x" * 3000 + (b"\r\n" if form == "many" else b""))))
        if what == "interim":
            return self.send(repeated(b"HTTP/1.1 100 Continue\r\nX-More: " + b"x" * 3000 + b"\r\n\r\n"))
        if what == "trailers":
            return self.send(after(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n", repeated(b"X-More: " + b"x" * 3000 + b"\r\n")))
        if path.endswith("/exec"):
            if what == "upgrade":
                return self.send(after(b"HTTP/1.1 101 Switching Protocols\r\n", repeated(b"X-More: x\r\n")))
            self.upgrade()
            return self.send(SHELL[form]() if what == "shell" else [])
        if path.endswith("/log"):
            return self.answer(b"hello\n", kind="text/plain")
        if "watch=" in self.path and what == "watch":
            self.begin()
            return self.send(WATCHES[form]())
        if what == "get" or (what == "list" and path.endswith(("/pods", "/jobs", "/nodes"))):
            self.begin()
            return self.send(BODIES[form]())
        if what == "refuse":
            self.begin(code=500 if form == "blanks" else 403)
            return self.send(BODIES[form]())
        if what == "protobuf" and path.endswith("/pods") and "protobuf" in self.headers.get("Accept", ""):
            self.begin(kind="application/vnd.kubernetes.protobuf")
            return self.send(after(PROTOBUF, numbered(protobuf_pod)) if form == "pods" else after(PROTOBUF, repeated(b"\x12\0")))
        self.honest(path, what, form)

    def honest(self, path, what, form):
        kind = next((kind for kind in ("jobs", "pods") if kind in path.split("/")), None)
        if path == "/version":
            return self.answer({"major": "1", "minor": "37", "gitVersion": "v1.37.0"})
        if not kind:
            return self.answer({"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}, code=404)
        item = job("victim") if kind == "jobs" else pod("victim")
        if not path.endswith("/" + kind):
            return self.answer(item)
        if "watch=" in self.path:
            return self.answer(json.dumps({"type": "ADDED", "object": item}).encode() + b"\n")
        token = f"t{random.random()}" if what == "continue" else ""
        items = [] if what == "continue" and form == "empty" else [item] * (300 if form == "full" else 1)
        self.answer({"apiVersion": item["apiVersion"], "kind": item["kind"] + "List", "metadata": {"resourceVersion": "1", "continue": token}, "items": items})

    def s3(self, form):
        if form == "pages":
            return self.answer(b"<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken></ListBucketResult>", kind="application/xml")
        self.begin(code=400 if form == "a text" else 200, kind="application/xml")
        self.send(XML[form]())


# kml keeps nothing of these, and waits until the command ends or the user stops it.
WITHOUT_END = ("errors", "status", "other channels", "pings", "pongs", "empty fragments")
READS = [["list"], ["list", "-A", "-o", "json"], ["queue"], ["status", "victim"], ["why", "victim"], ["delete", "victim"], ["doctor"], ["logs", "victim"]]
FOLLOWS = [["wait", "victim"], ["list", "-w"], ["queue", "-w"], ["logs", "-f", "victim"]]
SHELLS = [["cp", "victim/0:/x", "copy"], ["cp", "own", "victim/0:/x"], ["ssh", "--config", "victim"], ["sync", "--once", "own", "victim:/x"], ["hang", "victim"]]
S3 = [["gc", "--store", "s3://bucket/prefix"]]


class Peer(Kind):
    MEMORY = 512 * MiB
    # Every pair of a kind of attack and its form, with the commands that are exposed to it.
    ATTACKS = ([("list", form, READS) for form in BODIES] + [("get", form, READS) for form in BODIES] + [("refuse", form, READS) for form in BODIES]
               + [("protobuf", form, [["list"], ["queue"]]) for form in ("pods", "nothing")] + [("continue", form, [["list", "-o", "json"], ["delete", "victim"]]) for form in ("empty", "one", "full")]
               + [("headers", form, READS) for form in ("many", "one")] + [("interim", "", READS), ("trailers", "", READS), ("upgrade", "", SHELLS)]
               + [("watch", form, FOLLOWS) for form in WATCHES] + [("shell", form, SHELLS) for form in SHELL] + [("s3", form, S3) for form in XML]
               + [("file", form, [["list"], ["submit", "-f", "evil.yaml"]]) for form in FILES])

    def __init__(self, folder):
        super().__init__(folder)
        self.server = serve(Endless)
        self.server.attack = ("", "")
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.env |= {"KUBECONFIG": str(self.deep / "kubeconfig"), "AWS_ENDPOINT_URL_S3": self.url, "AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s", "AWS_REGION": "r"}
        (self.home / "own").mkdir()
        (self.home / "own/file").write_text("own\n")

    def attack(self, draw):
        for what, form, commands in draw.sample(self.ATTACKS, 5):
            self.meet(what, form, draw.choice(commands))

    def attack_all(self):
        for what, form, commands in self.ATTACKS:
            for command in commands:
                self.meet(what, form, command)

    @staticmethod
    def goes_on(what, form, command):
        return form in WITHOUT_END or (command in FOLLOWS and (what, form) not in (("watch", "a line"), ("watch", "bookmarks in one line")))

    def meet(self, what, form, command):
        self.server.attack = (what, form)
        (self.deep / "kubeconfig").write_text(FILES[form]() if what == "file" and command == ["list"] else json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c", "clusters": [{"name": "c", "cluster": {"server": self.url}}],
            "users": [{"name": "u", "user": {}}], "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}))
        if what == "file":
            (self.home / "evil.yaml").write_text(FILES[form]())
        before = len(self.found)
        seen = self.kml(*command, followed=10 if self.goes_on(what, form, command) else None, memory=self.MEMORY)
        if any(word in seen.output for word in (b"out of memory", b"bad_alloc", b"std::", b"basic_string", b"json.exception", b"vector::")):
            self.fault(f"kml {' '.join(command)!r}: it ends with {seen.output[-300:]!r}")
        for number in range(before, len(self.found)):
            self.found[number] = f"{what} {form}: {self.found[number]}"
        return seen

    def end(self):
        self.server.shutdown()
