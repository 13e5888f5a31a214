"""An API server whose lists are always empty: the only source of an object is an event on a watch that is open when the
object is pushed.

    with PushingServer() as server:
        server.push("jobs", {...})    # an event on each open watch of the resource
"""

import contextlib
import http.server
import json
import threading
import urllib.parse

VERSION = {"major": "1", "minor": "36", "gitVersion": "v1.36.0"}


class PushingServer:
    def __init__(self):
        self.lock = threading.Lock()
        self.watches = {}  # by resource: the handlers of open watches
        self.asked = []  # the paths of all requests, with their queries
        self.version = 1
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.server.daemon_threads = True

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()

    @property
    def kubeconfig(self):
        cluster = {"server": f"http://127.0.0.1:{self.server.server_port}"}
        return json.dumps({"apiVersion": "v1", "kind": "Config", "current-context": "there",
                           "contexts": [{"name": "there", "context": {"cluster": "there", "user": "me"}}],
                           "clusters": [{"name": "there", "cluster": cluster}], "users": [{"name": "me", "user": {}}]})

    def push(self, resource, item, kind="ADDED"):
        """Sends the event on the open watches. Returns how many there are."""
        with self.lock:
            self.version += 1
            item["metadata"]["resourceVersion"] = str(self.version)
            for watch in self.watches.get(resource, ()):
                watch.event(kind, item)
            return len(self.watches.get(resource, ()))

    def handler(server):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self, status, body):
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def chunk(self, text):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(text), text))
                self.wfile.flush()

            def event(self, kind, item):
                with contextlib.suppress(OSError):  # the client may have gone
                    self.chunk(json.dumps({"type": kind, "object": item}).encode() + b"\n")

            def watch(self, resource, sends_list):
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                with server.lock:
                    if sends_list:
                        mark = {"annotations": {"k8s.io/initial-events-end": "true"}, "resourceVersion": str(server.version)}
                        self.event("BOOKMARK", {"apiVersion": "v1", "kind": "Object", "metadata": mark})
                    server.watches.setdefault(resource, []).append(self)
                with contextlib.suppress(OSError):
                    self.rfile.read(1)  # until the client closes the connection
                with server.lock:
                    server.watches[resource].remove(self)
                self.close_connection = True

            def do_GET(self):
                url = urllib.parse.urlsplit(self.path)
                query = dict(urllib.parse.parse_qsl(url.query))
                server.asked.append(self.path)
                resource = url.path.split("/")[-1]
                if url.path == "/version":
                    return self.answer(200, VERSION)
                if "watch" in query:
                    return self.watch(resource, "sendInitialEvents" in query)
                self.answer(200, {"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": str(server.version)}, "items": []})

            def do_POST(self):  # questions about rights
                asked = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
                self.answer(201, {**asked, "status": {"allowed": True, "resourceRules": [], "nonResourceRules": [], "incomplete": False}})

        return Handler
