"""A registry of container images (OCI distribution spec 1.1) that fails in ways that are rare in a real one.

    fake_registry.py FOLDER     writes its port to FOLDER/port, then serves on loopback until it is killed

It reads FOLDER/mode during each request: words such as "bearer cut=2". FOLDER/log has a line for each request: its status,
method, path, the kind of credentials, and the size of its body. The image base/python:3 is there, for linux/amd64 and
linux/arm64, base/official:3, which sets PYTHON_VERSION and PYTHONPATH, and base/busybox:1, whose layer is FOLDER/base.tar if that exists. FOLDER/blobs has the blobs that clients sent, FOLDER/manifests the manifests by repository and tag.

  basic, bearer      credentials are needed: ana with the password secret, or the identity token lasting
  anonymous          with bearer: tokens for reading are given to clients without credentials
  expire=N           with bearer: a token is valid for N requests
  no-mount           blobs are not mounted
  no-chunks          only whole blobs are accepted
  no-ranges          the same, by another status
  small=N            chunks may have at most N bytes
  refuse=N, cut=N    every Nth chunk is answered by 503, or is half stored before the connection ends
  forget             the first upload is forgotten after its first chunk
  lose               an accepted chunk is not stored
  redirect           blobs are at another address
  downgrade          as redirect, but to a local file
  wrong-config, wrong-layer, wrong-manifest   content that does not have its digest
  wrong-stored       the digest of what was stored is wrong
  garbage=WHAT       a manifest that is WHAT: text, list, deep, sizes, names, endless, html
  forbidden          nobody may write
"""

import base64
import hashlib
import http.server
import json
import os
import pathlib
import random
import socketserver
import sys
import threading
import time
import urllib.parse

folder = pathlib.Path(sys.argv[1])
blobs, manifests, uploads, tokens, seen = {}, {}, {}, {}, {"chunks": 0, "forgotten": False}
lock = threading.Lock()
INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"


def digest_of(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def blob(repository, data):
    blobs.setdefault(repository, {})[digest_of(data)] = data
    return {"digest": digest_of(data), "size": len(data)}


def manifest(repository, name, media_type, value):
    data = json.dumps(value).encode()
    for key in (name, digest_of(data)):
        manifests.setdefault(repository, {})[key] = (media_type, data)
    return {"mediaType": media_type, "digest": digest_of(data), "size": len(data)}


def make_base():
    entries = []
    for architecture in ("arm64", "amd64"):
        layers = [random.Random(seed).randbytes(size) for seed, size in ((1, 1000), (2, 20_000_000))]
        config = {"architecture": architecture, "os": "linux", "config": {"Env": ["PATH=/bin"], "WorkingDir": "/old"},
                  "rootfs": {"type": "layers", "diff_ids": [digest_of(layer) for layer in layers]}, "extra": 1}
        value = {"schemaVersion": 2, "mediaType": MANIFEST,
                 "config": {"mediaType": "application/vnd.oci.image.config.v1+json", **blob("base/python", json.dumps(config).encode())},
                 "layers": [{"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip", **blob("base/python", layer)} for layer in layers]}
        entries.append({**manifest("base/python", architecture, MANIFEST, value), "platform": {"os": "linux", "architecture": architecture}})
    manifest("base/python", "3", INDEX, {"schemaVersion": 2, "mediaType": INDEX, "manifests": entries})

    config = {"architecture": "amd64", "os": "linux", "rootfs": {"type": "layers", "diff_ids": []},
              "config": {"Env": ["PATH=/usr/local/bin:/bin", "PYTHONPATH=/opt/lib", "PYTHON_VERSION=3.12.7"], "WorkingDir": "/old"}}
    manifest("base/official", "3", MANIFEST, {
        "schemaVersion": 2, "mediaType": MANIFEST, "layers": [],
        "config": {"mediaType": "application/vnd.oci.image.config.v1+json", **blob("base/official", json.dumps(config).encode())}})

    if (folder / "base.tar").exists():
        layer = (folder / "base.tar").read_bytes()
        config = {"architecture": "amd64", "os": "linux", "config": {"Env": ["PATH=/bin"]},
                  "rootfs": {"type": "layers", "diff_ids": [digest_of(layer)]}}
        manifest("base/busybox", "1", MANIFEST, {
            "schemaVersion": 2, "mediaType": MANIFEST,
            "config": {"mediaType": "application/vnd.oci.image.config.v1+json", **blob("base/busybox", json.dumps(config).encode())},
            "layers": [{"mediaType": "application/vnd.oci.image.layer.v1.tar", **blob("base/busybox", layer)}]})


GARBAGE = {"text": b"hello", "list": b"[]", "deep": b"[" * 100_000, "html": b"<html>",
           "sizes": json.dumps({"config": {"mediaType": "application/vnd.oci.image.config.v1+json", "digest": "sha256:" + "0" * 64, "size": 1 << 60}}).encode(),
           "names": json.dumps({"config": {"mediaType": "application/vnd.oci.image.config.v1+json", "digest": "../../etc/passwd", "size": 1}}).encode()}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def mode(self, word):
        for each in (folder / "mode").read_text().split():
            if each == word or each.startswith(word + "="):
                return each[len(word) + 1:] or True
        return None

    def answer(self, status, body=b"", **headers):
        with open(folder / "log", "a") as log:
            kind = (self.headers.get("Authorization") or "none").split()[0].lower()
            log.write(f"{status} {self.command} {self.path} {kind} {len(self.body)}\n")
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if status >= 200 and status != 204:
            self.send_header("Content-Length", headers.pop("length", None) or str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def refuse(self, status, code, **headers):
        self.answer(status, json.dumps({"errors": [{"code": code, "message": "no"}]}).encode(), Content_Type="application/json", **headers)

    def challenge(self):
        host = self.headers["Host"]
        self.refuse(401, "UNAUTHORIZED", WWW_Authenticate=f'Bearer realm="http://{host}/token",service="fake"' if self.mode("bearer") else 'Basic realm="fake"')

    def may(self):
        given = self.headers.get("Authorization", "")
        if self.mode("basic"):
            return given == "Basic " + base64.b64encode(b"ana:secret").decode()
        if not self.mode("bearer"):
            return True
        token = given.removeprefix("Bearer ")
        if token not in tokens or tokens[token]["left"] <= 0:
            return False
        tokens[token]["left"] -= 1
        return tokens[token]["writes"] or self.command in ("GET", "HEAD")

    def give_token(self):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        form = urllib.parse.parse_qs(self.body.decode())
        is_ana = self.headers.get("Authorization") == "Basic " + base64.b64encode(b"ana:secret").decode()
        is_ana = is_ana or form.get("refresh_token") == ["lasting"]
        scopes = " ".join(query.get("scope", []) + form.get("scope", []))
        if not is_ana and (self.headers.get("Authorization") or form or not self.mode("anonymous")):
            return self.refuse(401, "UNAUTHORIZED")
        token = "t%d" % len(tokens)
        tokens[token] = {"left": int(self.mode("expire") or 1 << 30), "writes": is_ana and "push" in scopes}
        self.answer(200, json.dumps({"token": token, "expires_in": 300}).encode(), Content_Type="application/json")

    def handle_any(self):
        self.body = b""
        length = int(self.headers.get("Content-Length") or 0)
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        parts = url.path.split("/")
        is_chunk = self.command == "PATCH"
        if is_chunk:
            seen["chunks"] += 1
            cut = self.mode("cut")
            is_next = int(self.headers["Content-Range"].split("-")[0]) == len(uploads.get(parts[-1], b""))
            if cut and is_next and seen["chunks"] % int(cut) == 0:
                uploads[parts[-1]] += self.rfile.read(length // 2)
                with open(folder / "log", "a") as log:
                    log.write(f"cut PATCH {self.path}\n")
                self.close_connection = True
                return
        self.body = self.rfile.read(length)
        if url.path == "/token":
            return self.give_token()
        if url.path == "/elsewhere":
            return self.send_blob(blobs[query["repository"]][query["digest"]])
        if not self.may():
            return self.challenge()
        if url.path == "/v2/":
            return self.answer(200, b"{}")
        if self.mode("forbidden") and self.command not in ("GET", "HEAD"):
            return self.refuse(403, "DENIED")
        if "uploads" in parts:
            at = parts.index("uploads")
            return self.upload("/".join(parts[2:at - 1]), parts[at + 1], query)
        if parts[-2] == "blobs":
            return self.read_blob("/".join(parts[2:-2]), parts[-1])
        if parts[-2] == "manifests":
            return self.manifest("/".join(parts[2:-2]), parts[-1])
        self.refuse(404, "UNSUPPORTED")

    do_GET = do_HEAD = do_PUT = do_POST = do_PATCH = do_DELETE = handle_any

    def manifest(self, repository, name):
        if self.command == "PUT":
            media_type = self.headers["Content-Type"]
            for key in (name, digest_of(self.body)):
                manifests.setdefault(repository, {})[key] = (media_type, self.body)
            place = folder / "manifests" / repository
            place.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(self.body)
            stored = "sha256:" + "1" * 64 if self.mode("wrong-stored") else digest_of(self.body)
            return self.answer(201, Docker_Content_Digest=stored)
        garbage = self.mode("garbage")
        if garbage == "endless":
            self.answer(200, length=str(1 << 40))
            while True:
                self.wfile.write(b" " * (1 << 20))
        if garbage:
            return self.answer(200, GARBAGE[garbage], Content_Type="text/html" if garbage == "html" else MANIFEST)
        if name not in manifests.get(repository, {}):
            return self.refuse(404, "MANIFEST_UNKNOWN")
        media_type, data = manifests[repository][name]
        if self.mode("wrong-manifest"):
            data += b" "
        self.answer(200, data, Content_Type=media_type)

    def read_blob(self, repository, digest):
        data = blobs.get(repository, {}).get(digest)
        if data is None:
            return self.refuse(404, "BLOB_UNKNOWN")
        if self.mode("redirect") and self.command == "GET":
            return self.answer(307, Location=f"http://127.0.0.1:{self.server.server_port}/elsewhere?" + urllib.parse.urlencode({"repository": repository, "digest": digest}))
        if self.mode("downgrade") and self.command == "GET":
            return self.answer(307, Location="file:///etc/passwd")
        self.send_blob(data)

    def send_blob(self, data):
        is_config = data.startswith(b"{")
        if self.command == "GET" and self.mode("wrong-config" if is_config else "wrong-layer"):
            data = data[:-1] + b"!"
        asked = self.headers.get("Range")
        if not asked:
            return self.answer(200, data)
        begin, end = (int(part) for part in asked.removeprefix("bytes=").split("-"))
        self.answer(206, data[begin:end + 1], Content_Range=f"bytes {begin}-{end}/{len(data)}")

    def upload(self, repository, name, query):
        here = f"/v2/{repository}/blobs/uploads/"
        if self.command == "POST":
            source = blobs.get(query.get("from"), {})
            if query.get("mount") in source and not self.mode("no-mount"):
                blobs.setdefault(repository, {})[query["mount"]] = source[query["mount"]]
                return self.answer(201)
            name = "u%d" % len(uploads)
            uploads[name] = b""
            return self.answer(202, Location=here + name)
        if name not in uploads:
            return self.refuse(404, "BLOB_UPLOAD_UNKNOWN")
        if self.command == "DELETE":
            del uploads[name]
            uploads["deleted-" + name] = b""
            return self.answer(204)
        if self.command == "PATCH":
            if self.mode("no-chunks"):
                return self.refuse(405, "UNSUPPORTED")
            if self.mode("no-ranges"):
                return self.refuse(416, "RANGE_INVALID")
            if self.mode("small") and len(self.body) > int(self.mode("small")):
                return self.refuse(413, "SIZE_INVALID")
            if self.mode("refuse") and seen["chunks"] % int(self.mode("refuse")) == 0:
                return self.refuse(503, "UNAVAILABLE")
            if int(self.headers["Content-Range"].split("-")[0]) != len(uploads[name]):
                return self.refuse(416, "RANGE_INVALID")
            if not self.mode("lose"):
                uploads[name] += self.body
            if self.mode("forget") and not seen["forgotten"]:
                seen["forgotten"] = True
                del uploads[name]
                uploads["forgotten"] = b""
        if self.command == "PUT":
            data = uploads[name] + self.body
            if digest_of(data) != query["digest"]:
                return self.refuse(400, "DIGEST_INVALID")
            blobs.setdefault(repository, {})[query["digest"]] = data
            (folder / "blobs").mkdir(exist_ok=True)
            (folder / "blobs" / query["digest"]).write_bytes(data)
            return self.answer(201, Docker_Content_Digest=query["digest"])
        size = len(uploads.get(name, b""))
        self.answer(202 if self.command == "PATCH" else 204, Location=here + name, Range=f"0-{max(size - 1, 0)}")


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # clients close connections


if __name__ == "__main__":
    make_base()
    (folder / "mode").touch()
    server = Server(("127.0.0.1", 0), Handler)
    (folder / "port.new").write_text(str(server.server_port))
    os.rename(folder / "port.new", folder / "port")
    server.serve_forever()
