"""An API server. The tests check its responses, so no client library is used."""
import base64
import functools
import http.client
import json
import os
import ssl
import tempfile
import time
import urllib.parse

PATHS = {
    "Pod": "api/v1/namespaces/{ns}/pods", "ConfigMap": "api/v1/namespaces/{ns}/configmaps",
    "Secret": "api/v1/namespaces/{ns}/secrets", "Service": "api/v1/namespaces/{ns}/services",
    "Job": "apis/batch/v1/namespaces/{ns}/jobs", "Event": "api/v1/namespaces/{ns}/events",
    "ResourceQuota": "api/v1/namespaces/{ns}/resourcequotas",
    "PriorityClass": "apis/scheduling.k8s.io/v1/priorityclasses", "Node": "api/v1/nodes", "Namespace": "api/v1/namespaces",
    "PodGroup": "apis/scheduling.k8s.io/v1beta1/namespaces/{ns}/podgroups",
    "PyTorchJob": "apis/kubeflow.org/v1/namespaces/{ns}/pytorchjobs",
}


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.text = status, headers, body.decode(errors="replace")
        try:
            self.json = json.loads(self.text)
        except ValueError:
            self.json = None

    def __repr__(self):
        return f"{self.status} {self.text[:600]}"


class Server:
    """`config` is a kubeconfig as JSON (kubectl config view --raw -o json)."""

    def __init__(self, config, namespace):
        with open(config) as file:
            config = json.load(file)
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        self.host = urllib.parse.urlparse(cluster["server"]).netloc
        self.namespace = namespace
        self.tls = ssl.create_default_context(cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())
        self.token = user.get("token")
        if "client-certificate-data" in user:
            with tempfile.NamedTemporaryFile() as file:
                for part in ("client-certificate-data", "client-key-data"):
                    file.write(base64.b64decode(user[part]) + b"\n")
                file.flush()
                self.tls.load_cert_chain(file.name)
        self.connection = self.connect()

    @functools.cached_property
    def minor(self):
        """37 for Kubernetes 1.37: its versions differ in some answers."""
        return int(self.ask("GET", "/version").json["minor"])

    def connect(self):
        return http.client.HTTPSConnection(self.host, context=self.tls, timeout=600)

    def path(self, kind, name="", subresource=""):
        parts = [PATHS[kind].format(ns=self.namespace), name, subresource]
        return "/" + "/".join(part for part in parts if part)

    def send(self, connection, method, path, body=None, headers=None, **query):
        headers = dict(headers or {})
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
        if body is not None and not isinstance(body, (str, bytes)):
            body = json.dumps(body)
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
        if query:
            path += "?" + urllib.parse.urlencode(query)
        connection.request(method, path, body, headers)
        return connection.getresponse()

    def ask(self, method, path, body=None, headers=None, **query):
        for attempt in (1, 2):  # the server may have closed an idle connection
            try:
                response = self.send(self.connection, method, path, body, headers, **query)
                return Answer(response.status, response.headers, response.read())
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                self.connection.close()
                if attempt == 2:
                    raise

    def get(self, kind, name="", subresource="", headers=None, **query):
        return self.ask("GET", self.path(kind, name, subresource), None, headers, **query)

    def create(self, kind, body, **query):
        return self.ask("POST", self.path(kind), body, **query)

    def replace(self, kind, name, body, subresource="", **query):
        return self.ask("PUT", self.path(kind, name, subresource), body, **query)

    def patch(self, kind, name, body, type="merge", subresource="", **query):
        content = {"Content-Type": f"application/{type}-patch+json"}
        return self.ask("PATCH", self.path(kind, name, subresource), body, content, **query)

    def delete(self, kind, name="", body=None, **query):
        return self.ask("DELETE", self.path(kind, name), body, **query)

    def watch(self, kind, headers=None, **query):
        """The events of a watch, until the server ends it or the caller takes no more of them."""
        connection = self.connect()
        response = self.send(connection, "GET", self.path(kind), None, headers, watch="1", **{"timeoutSeconds": 600, **query})
        if response.status != 200:
            raise AssertionError(f"watch: {response.status} {response.read()}")
        try:
            for line in response:
                if line.strip():
                    yield json.loads(line)
        finally:
            connection.close()

    def until(self, kind, name, condition):
        """Returns the object as soon as the condition is true for it."""
        last = None

        def holds():
            nonlocal last
            last = self.get(kind, name)
            return condition(last.json)

        try:
            eventually(holds)
        except TimeoutError:
            raise AssertionError(f"{kind} {name} never came to that: {last.text}") from None
        return last.json


def eventually(holds, seconds=600):
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not after {seconds} s")
        time.sleep(0.05)


def here():
    """The server for this case, from the variables that lib.sh sets."""
    return Server(os.environ["CONTRACT_CONFIG"], os.environ["CONTRACT_NAMESPACE"])
