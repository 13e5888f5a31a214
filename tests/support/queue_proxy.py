"""Makes an embedded server seem to be a cluster with Kueue: through this proxy it lists the LocalQueues whose names are the
lines of the file FILE. A request for one LocalQueue, ClusterQueue or ResourceFlavor always finds it. The proxy refuses to
create the jobs whose names are the lines of the file FILE.refused (403).

    queue_proxy.py URL TOKEN FILE

Prints the port on which it listens, for http://127.0.0.1:PORT.
"""
import http.server
import json
import os
import ssl
import sys
import urllib.error
import urllib.request

URL, TOKEN, FILE = sys.argv[1:]
VERSION = {"groupVersion": "kueue.x-k8s.io/v1beta2", "version": "v1beta2"}
GROUP = {"kind": "APIGroup", "apiVersion": "v1", "name": "kueue.x-k8s.io", "versions": [VERSION], "preferredVersion": VERSION}


RESOURCES = ["cpu", "memory", "nvidia.com/gpu"]
FLAVOR = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor", "metadata": {"name": "any", "uid": "any"}, "spec": {}}
CLUSTER_QUEUE = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": {"name": "all", "uid": "all"},
                 "spec": {"namespaceSelector": {}, "resourceGroups": [{"coveredResources": RESOURCES, "flavors": [
                     {"name": "any", "resources": [{"name": name, "nominalQuota": "1000Gi"} for name in RESOURCES]}]}]}}


def lines_of(path):
    return open(path).read().split() if os.path.exists(path) else []


def queue(name):
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "LocalQueue", "metadata": {"name": name, "namespace": "default", "uid": name}, "spec": {"clusterQueue": "all"}}


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

    def forward(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))) or None
        if self.command == "POST" and self.path.split("?")[0].endswith("/jobs") and "dryRun" not in self.path:
            name = json.loads(body)["metadata"]["name"]
            if name in lines_of(FILE + ".refused"):
                return self.answer({"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": f"jobs {name} is forbidden", "reason": "Forbidden", "code": 403}, 403)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "content-length", "accept-encoding")}
        request = urllib.request.Request(URL + self.path, body, headers | {"Authorization": "Bearer " + TOKEN}, method=self.command)
        try:
            found = urllib.request.urlopen(request, context=ssl._create_unverified_context())
        except urllib.error.HTTPError as error:
            found = error
        return self.answer(found.read(), found.status)

    def do_GET(self):
        path = self.path.split("?")[0]
        if path == "/apis/kueue.x-k8s.io":
            return self.answer(GROUP)
        if "/localqueues/" in path:
            return self.answer(queue(path.rsplit("/", 1)[1]))
        if "/clusterqueues/" in path:
            return self.answer(CLUSTER_QUEUE)
        if "/resourceflavors/" in path:
            return self.answer(FLAVOR)
        if path.startswith("/apis/kueue.x-k8s.io/"):
            names = lines_of(FILE) if path.endswith("/localqueues") else []
            return self.answer({"kind": "List", "apiVersion": "kueue.x-k8s.io/v1beta2", "metadata": {"resourceVersion": "1"}, "items": [queue(name) for name in names]})
        return self.forward()

    do_POST = do_PATCH = do_DELETE = do_PUT = forward


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True


server = Server(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
