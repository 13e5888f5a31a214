"""An API server with randomly mutated responses."""

import copy
import gzip
import json
import random
import threading
import zlib

from attacks.common import EVIL, Kind, hostile_server, kubeconfig, serve


DEEP = "@@deep@@"
VALUES = [None, True, -1, 0, 1.5, 1e308, 1 << 63, 10 ** 300, "", "x", "../../../../escaped", "..", "/escaped", "a/b", "\0", EVIL, "x" * 300_000, [], {}, [None] * 1000, [[]], {"": ""},
          DEEP, "9999999999-99-99T99:99:99Z", "2026-11-24T00:00:00Z", "-5", "1e999Gi", "9" * 40, ["a", 1], {"name": 1}, "\ud800", "Running", "Succeeded", "\n", "a\nb", "%s%n", -(1 << 63)]


def places(value):
    """All places in the tree where a value can be replaced: the container and the key in it."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield value, key
        yield from places(inner)


def mutate(draw, value):
    value = json.loads(json.dumps(value))
    for _ in range(draw.randint(1, 6)):
        if not (some := list(places(value))):
            return copy.deepcopy(draw.choice(VALUES))
        holder, key = draw.choice(some)
        if draw.random() < 0.25 and isinstance(holder, dict):
            del holder[key]
        elif draw.random() < 0.1 and isinstance(holder, list):
            holder += [holder[key]] * draw.choice([1, 500])
        else:
            holder[key] = copy.deepcopy(draw.choice(VALUES))  # a copy, because a later mutation may change it
    return value


def bomb():
    """A gzip of 6 GiB: the same block many times, without an end or a checksum."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    start = packer.compress(b" " * (1 << 24)) + packer.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + start * 384


class Mutating(hostile_server.Server):
    """A response of hostile_server, mutated by the round's random generator."""

    timeout = 30

    def answer(self, code, value, kind="application/json"):
        with self.server.lock:
            draw = random.Random(self.server.draw.random())
        if draw.random() > self.server.share:
            return super().answer(code, value, kind)
        if draw.random() < 0.2:
            code = draw.choice([200, 201, 204, 301, 307, 400, 401, 403, 404, 409, 410, 422, 429, 500, 503, 599])
        body = self.body(draw, value)
        getattr(self, draw.choice(["whole"] * 10 + ["cut", "bombed", "heads", "chunks", "silent", "rubbish", "noisy", "badly_packed"]))(draw, code, body, kind)

    def body(self, draw, value):
        if not isinstance(value, str):
            value = json.dumps(mutate(draw, value), ensure_ascii=draw.random() < 0.2)
        elif value.startswith("{"):  # a watch
            value = "\n".join(json.dumps(mutate(draw, json.loads(value)), ensure_ascii=False) for _ in range(draw.choice([1, 50]))) + "\n"
        elif draw.random() < 0.5:  # a log
            value = "".join(draw.choices([EVIL, "\n", "\r", "x" * 10_000, "2026-11-24T00:00:00.5Z ", "\x1b[", "\x1b]8;;", "{\"step\":", "loss=1e999 ", "\ud800"], k=draw.choice([3, 300])))
        depth = draw.choice([200, 5_000, 200_000])
        return value.replace(f'"{DEEP}"', draw.choice(["[", '{"a":']) * depth).encode("utf-8", "surrogatepass")

    def head(self, code, length, kind, **more):
        self.send_response(code)
        for name, text in {"Content-Type": kind, "Content-Length": str(length), **more}.items():
            self.send_header(name.replace("_", "-"), text)
        if code in (301, 307):
            self.send_header("Location", "http://127.0.0.1:1/")
        if code in (429, 503):
            self.send_header("Retry-After", random.Random(length).choice(["1", "-1", "99999999999", "soon"]))
        self.end_headers()

    def whole(self, draw, code, body, kind):
        self.head(code, len(body), kind)
        self.wfile.write(body)

    def cut(self, draw, code, body, kind):
        self.head(code, len(body) + 1, kind)
        self.wfile.write(body[:draw.randint(0, len(body))])
        self.close_connection = True

    def bombed(self, draw, code, body, kind):
        self.head(200, len(self.server.bomb), kind, Content_Encoding="gzip")
        self.wfile.write(self.server.bomb)

    def badly_packed(self, draw, code, body, kind):
        packed = bytearray(gzip.compress(body))
        packed[draw.randrange(len(packed))] ^= 1 << draw.randrange(8)
        self.head(code, len(packed), kind, Content_Encoding=draw.choice(["gzip", "gzip, gzip", "br"]))
        self.wfile.write(packed)

    def heads(self, draw, code, body, kind):
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        for _ in range(2000):
            self.wfile.write(b"X-Long: " + b"x" * 30_000 + b"\r\n")
        self.close_connection = True

    def chunks(self, draw, code, body, kind):
        self.send_response(code)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(draw.choice([b"ffffffffffffffff\r\n", b"-5\r\n", b"zz\r\n", b"5\r\nab"]) + body)
        self.close_connection = True

    def silent(self, draw, code, body, kind):
        self.close_connection = True

    def rubbish(self, draw, code, body, kind):
        self.wfile.write(draw.randbytes(draw.randint(1, 5000)))
        self.close_connection = True

    def noisy(self, draw, code, body, kind):
        noise = bytearray(body)
        for _ in range(len(noise) and draw.randint(1, 20)):
            noise[draw.randrange(len(noise))] = draw.randrange(256)
        self.whole(draw, code, bytes(noise), kind)


class HostileServer(Kind):
    ENDS = [["list"], ["list", "-A"], ["list", "-o", "wide"], ["list", "-o", "json"], ["status", "evil"], ["why", "evil"], ["logs", "evil"], ["logs", "--metrics", "evil"],
            ["logs", "--first-error", "evil"], ["queue"], ["cancel", "evil"], ["delete", "evil"], ["suspend", "evil"], ["history"], ["history", "evil"], ["top", "nodes"], ["top", "jobs"],
            ["top", "queues"], ["submit", "--image", "i:1", "--name", "evil", "--", "true"], ["submit", "--image", "i:1", "--test-only", "--", "true"], ["sweep", "status", "evil"],
            ["rerun", "evil"], ["doctor"], ["__complete", "--", "logs", ""], ["logs", "--save", "copy", "evil"], ["wait", "--timeout", "2s", "evil"]]
    FOLLOWS = [["logs", "-f", "--keep", "evil"], ["logs", "-f", "--save", "copy", "evil"], ["logs", "-f", "--metrics", "evil"], ["list", "-w"], ["queue", "-w"], ["wait", "evil"],
               ["submit", "--image", "i:1", "--name", "evil", "--follow", "--", "true"], ["submit", "--image", "i:1", "--name", "evil", "--wait", "--", "true"]]

    def __init__(self, folder):
        super().__init__(folder)
        self.server = serve(Mutating)
        self.server.lock, self.server.bomb = threading.Lock(), bomb()
        self.env["KUBECONFIG"] = str(self.deep / "kubeconfig")
        kubeconfig(self.deep / "kubeconfig", {"c" + EVIL: self.server.server_port})

    def attack(self, draw):
        self.server.draw, self.server.share = random.Random(draw.random()), draw.choice([0.1, 0.4, 1])
        for argv in draw.sample(self.ENDS, 3):
            self.kml(*argv)
        self.kml(*draw.choice(self.FOLLOWS), followed=3)
        allowed = [self.deep / "state", self.home / "copy", self.deep / "kubeconfig"]
        for file in self.work.rglob("*"):
            if not file.is_dir() and not any(file.is_relative_to(place) for place in allowed):
                self.fault(f"a file outside kml's folders: {file}")
                file.unlink()

    def end(self):
        self.server.shutdown()
