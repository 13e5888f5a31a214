"""A hub of datasets and models, as https://huggingface.co/docs/hub/api describes it, with faults.

    fake_hub.py FOLDER [--files N] [--large BYTES] [--host ADDRESS]

Writes its port to FOLDER/port, then serves on loopback (or ADDRESS) until it is killed. It has the dataset ana/rows and the model ana/net,
each with the branch main and the pull request 1, and 1,203 files (or N + 3) on pages of 1,000. data/large.bin, which has 20 MB
(or BYTES), is sent under another host name, as by a CDN; FOLDER/sum is its sha256. /file is the same file outside of all repositories.
FOLDER/mode has words that change what the hub does, as in fake_registry.py. FOLDER/log has a line for each request: status,
path, range, `token` or `none`, and how many bytes of the body were sent.

  token          all but /file and the files of the CDN need the token hub-token
  token=N        the hub takes the token for its first N requests only
  busy=N         every Nth request is answered by 429; busy=N,S asks to wait for S seconds
  cut=N          every Nth file that is sent breaks off in the middle
  break=N        all connections break after N bytes of a file
  hold=N         like break=N, but the connections stay open until the mode changes
  expires        an address of the CDN is good for one request
  no-ranges      files are sent as a whole
  other-range    another range than the wanted one is sent
  changed        files have another content
  longer         files have another size
  gone           the repository no longer exists
  hostile=NAME   the hub lists a file with this name
  elsewhere      the list of files continues on another server
  shape          answers are of another form
"""

import argparse
import hashlib
import http.server
import json
import os
import pathlib
import random
import socketserver
import time
import urllib.parse

COMMIT = "0123456789abcdef0123456789abcdef01234567"
PAGE = 1000
LARGE = "data/large.bin"
arguments = argparse.ArgumentParser()
arguments.add_argument("folder", type=pathlib.Path)
arguments.add_argument("--files", type=int, default=1200)
arguments.add_argument("--large", type=int, default=20_000_000)
arguments.add_argument("--host", default="127.0.0.1")
options = arguments.parse_args()
folder = options.folder
seen = {"requests": 0, "files": 0, "addresses": 0, "used": set(), "mode": ""}


def write_large():
    """Writes the large file. Returns its sha256."""
    source, digest, left = random.Random(1), hashlib.sha256(), options.large
    with open(folder / "large", "wb") as out:
        while left:
            piece = source.randbytes(min(left, 1 << 20))
            digest.update(piece)
            out.write(piece)
            left -= len(piece)
    return digest.hexdigest()


class File:
    def __init__(self, data=None):
        self.data = data
        self.size = options.large if data is None else len(data)

    def part(self, begin, end):
        if self.data is not None:
            return self.data[begin:end]
        with open(folder / "large", "rb") as file:
            file.seek(begin)
            return file.read(end - begin)


large_sum = write_large()
files = {"README.md": File(b"rows\n"), LARGE: File(), "odd name+%.txt": File(b"odd\n")}
files.update({f"data/{i:04}.txt": File(b"%d\n" % i) for i in range(options.files)})


def entry(path, file):
    found = {"type": "file", "path": path, "size": file.size, "oid": "0" * 40}
    if file.data is None:
        found["lfs"] = {"oid": large_sum, "size": file.size, "pointerSize": 133}
    else:
        found["oid"] = hashlib.sha1(b"blob %d\0" % file.size + file.data).hexdigest()
    return found


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def mode(self, word):
        for each in (folder / "mode").read_text().split():
            if each == word or each.startswith(word + "="):
                return each[len(word) + 1:] or True
        return None

    def note(self, status, sent):
        token = "token" if "Authorization" in self.headers else "none"
        with open(folder / "log", "a") as log:
            log.write(f"{status} {self.path} {self.headers.get('Range')} {token} {sent}\n")

    def head(self, status, size, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(size))
        self.end_headers()

    def answer(self, status, body=b"", **headers):
        self.note(status, len(body))
        self.head(status, len(body), headers)
        self.wfile.write(body)

    def allowed(self, size):
        """How many bytes of a file are sent before the connection breaks."""
        seen["files"] += 1
        limit = self.mode("break") or self.mode("hold")
        if limit:
            return min(size, int(limit))
        cut = self.mode("cut")
        return size // 2 if cut and seen["files"] % int(cut) == 0 else size

    def send_file(self, file):
        size = file.size + 1 if self.mode("longer") else file.size
        begin, end, status, headers = 0, size, 200, {}
        wanted = self.headers.get("Range")
        if wanted and not self.mode("no-ranges"):
            first, last = wanted.removeprefix("bytes=").split("-")
            begin, end, status = int(first), min(int(last or size) + 1, size), 206
            begin = max(begin - 1, 0) if self.mode("other-range") else begin
            if begin >= size:
                return self.answer(416, b"", Content_Range=f"bytes */{size}")
            headers["Content_Range"] = f"bytes {begin}-{end - 1}/{size}"
        sent = self.allowed(end - begin)
        self.note(status, sent)
        self.head(status, end - begin, headers)
        for at in range(begin, begin + sent, 1 << 20):
            piece = file.part(at, min(at + (1 << 20), begin + sent))
            if self.mode("changed"):
                piece = piece[:-1] + b"!"
            self.wfile.write(piece)
        while sent < end - begin and self.mode("hold"):
            time.sleep(0.05)
        self.close_connection = sent < end - begin

    def send_of_cdn(self, path):
        name, _, address = path.partition("?")
        if self.mode("expires") and address in seen["used"]:
            return self.answer(403, b"expired")
        seen["used"].add(address)
        self.send_file(files[urllib.parse.unquote(name)])

    def do_GET(self):
        words = (folder / "mode").read_text()
        if words != seen["mode"]:
            seen.update(mode=words, requests=0, files=0)
        seen["requests"] += 1
        url = urllib.parse.urlsplit(self.path)
        path = urllib.parse.unquote(url.path)
        if path == "/file":
            return self.send_file(files[LARGE])
        if path.startswith("/cdn/"):
            return self.send_of_cdn(self.path[5:])
        every, _, pause = str(self.mode("busy") or "0").partition(",")
        if int(every) and seen["requests"] % int(every) == 0:
            return self.answer(429, b"slow down", Retry_After=pause or "0")
        until = self.mode("token")
        is_old = until not in (None, True) and seen["requests"] > int(until)
        if until and (is_old or self.headers.get("Authorization") != "Bearer hub-token"):
            return self.answer(401, b"{}")
        if self.mode("gone"):
            return self.answer(404, b"{}")
        for api, base in (("/api/datasets/ana/rows", "/datasets/ana/rows/resolve/"), ("/api/models/ana/net", "/ana/net/resolve/")):
            if path in (api + "/revision/main", api + "/revision/refs/pr/1"):
                return self.answer(200, b"[]" if self.mode("shape") else json.dumps({"sha": COMMIT}).encode())
            if path.startswith(f"{api}/tree/{COMMIT}"):
                return self.tree(path.removeprefix(f"{api}/tree/{COMMIT}").strip("/"), url.query)
            if path.startswith(base + COMMIT + "/"):
                return self.resolve(path[len(base + COMMIT) + 1:])
        self.answer(404, b"{}")

    def resolve(self, name):
        if name not in files:
            return self.answer(404, b"{}")
        if name != LARGE:
            return self.send_file(files[name])
        seen["addresses"] += 1
        other = "localhost" if options.host == "127.0.0.1" else options.host
        where = f"http://{other}:{self.server.server_port}/cdn/{urllib.parse.quote(name)}?{seen['addresses']}"
        self.answer(302, Location=where)

    def tree(self, below, query):
        names = sorted(name for name in files if not below or name.startswith(below + "/"))
        at = int(urllib.parse.parse_qs(query).get("cursor", ["0"])[0])
        entries = [{"type": "directory", "path": "data", "size": 0, "oid": "0" * 40}]
        entries += [entry(name, files[name]) for name in names[at:at + PAGE]]
        if self.mode("hostile"):
            entries.append(entry(self.mode("hostile"), File(b"evil\n")))
        more = {}
        if at + PAGE < len(names):
            host = "localhost:1" if self.mode("elsewhere") else self.headers["Host"]
            more = {"Link": f'<http://{host}{self.path.split("?")[0]}?recursive=true&cursor={at + PAGE}>; rel="next"'}
        self.answer(200, b"{}" if self.mode("shape") else json.dumps(entries).encode(), **more)


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


if __name__ == "__main__":
    (folder / "mode").touch()
    server = Server((options.host, 0), Handler)
    (folder / "sum").write_text(large_sum)
    (folder / "port.new").write_text(str(server.server_port))
    os.rename(folder / "port.new", folder / "port")
    server.serve_forever()
