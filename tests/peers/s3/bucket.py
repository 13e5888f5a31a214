#!/usr/bin/env python3
"""A bucket in memory, with which tests/cli/step_bucket.sh tests kml-step-s3. It knows one key, and checks no
signature; tests/peers/s3/run tests signatures with a real server.

    bucket.py PORT_FILE [CERTIFICATE KEY]    serves HTTPS if a certificate is given; writes its port into the file

Requests outside the bucket: GET /objects lists the keys of its objects; PUT /fault/busy/N answers the next N requests with
503; PUT /fault/cut/N breaks the next N connections in the middle of a part. It is also a proxy, which finds every host on
this machine: CONNECT needs the user `me` with the password `p@ss`; it answers other requests for any host itself.
"""
import base64, contextlib, http.server, os, re, socket, ssl, sys, threading, urllib.parse

objects, parts, faults = {}, {}, {"busy": 0, "cut": 0}

def forward(source, target):
    with contextlib.suppress(OSError):  # the other direction has ended
        while piece := source.recv(1 << 16):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if not any(name == "Content-Length" for name, _ in headers):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def fault(self, status, code):
        self.answer(status, f"<Error><Code>{code}</Code><Message>{code}</Message></Error>".encode())

    def serve(self):
        url = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(url.query, keep_blank_values=True)
        size = int(self.headers.get("Content-Length") or 0)
        if faults["cut"] and "partNumber" in query:
            faults["cut"] -= 1
            self.rfile.read(size // 2)
            self.close_connection = True
            return self.connection.close()
        body = self.rfile.read(size)
        if url.path == "/objects":
            return self.answer(200, "\n".join(sorted(objects)).encode())
        if found := re.fullmatch("/fault/(busy|cut)/([0-9]+)", url.path):
            faults[found[1]] = int(found[2])
            return self.answer(200)
        if faults["busy"]:
            faults["busy"] -= 1
            return self.fault(503, "SlowDown")
        if "Credential=tester/" not in self.headers.get("Authorization", ""):
            return self.fault(403, "InvalidAccessKeyId")
        bucket, _, key = urllib.parse.unquote(url.path).lstrip("/").partition("/")
        if bucket != "made":
            return self.fault(404, "NoSuchBucket")
        getattr(self, "on_" + self.command)(key, query, body)

    def do_CONNECT(self):
        if self.headers.get("Proxy-Authorization") != "Basic " + base64.b64encode(b"me:p@ss").decode():
            return self.answer(407)
        there = socket.create_connection(("127.0.0.1", int(self.path.rpartition(":")[2])))
        self.send_response(200)
        self.end_headers()
        threading.Thread(target=forward, args=(there, self.connection), daemon=True).start()
        forward(self.connection, there)
        self.close_connection = True

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = serve

    def on_HEAD(self, key, query, body):
        if key not in objects:
            return self.answer(404)
        self.answer(200, headers=[("Content-Length", str(len(objects[key]))), ("Last-Modified", self.date_time_string())])

    def on_GET(self, key, query, body):
        if key not in objects:
            return self.fault(404, "NoSuchKey")
        piece = re.fullmatch("bytes=([0-9]+)-([0-9]+)", self.headers.get("Range", ""))
        if piece:
            return self.answer(206, objects[key][int(piece[1]):int(piece[2]) + 1])
        self.answer(200, objects[key])

    def on_PUT(self, key, query, body):
        if "partNumber" in query:
            parts[query["uploadId"][0]][int(query["partNumber"][0])] = body
        else:
            objects[key] = body
        self.answer(200, headers=[("ETag", '"1"')])

    def on_POST(self, key, query, body):
        if "uploads" in query:
            upload = str(len(parts))
            parts[upload] = {}
            return self.answer(200, f"<R><UploadId>{upload}</UploadId></R>".encode())
        upload = parts.pop(query["uploadId"][0])
        objects[key] = b"".join(upload[number] for number in sorted(upload))
        self.answer(200, b"<R></R>")

    def on_DELETE(self, key, query, body):
        parts.pop(query.get("uploadId", [""])[0], None)
        objects.pop(key, None)
        self.answer(204)

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
server.handle_error = lambda *_: None  # a client may close its connection
if len(sys.argv) > 2:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
    server.socket = context.wrap_socket(server.socket, server_side=True)
with open(sys.argv[1] + ".new", "w") as file:
    file.write(str(server.server_address[1]))
os.rename(sys.argv[1] + ".new", sys.argv[1])
server.serve_forever()
