"""Answers POST {"x": [four lengths in cm]} with the kind of the flower, at the port in PORT; GET succeeds once it can."""
import http.server
import json
import os
import pickle
import sys

KINDS = ["setosa", "versicolor", "virginica"]
with open(sys.argv[1], "rb") as file:
    model = pickle.load(file)


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(200, {"ready": True})

    def do_POST(self):
        try:
            flower = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["x"]
            self.answer(200, {"kind": KINDS[int(model.predict([flower])[0])]})
        except (KeyError, TypeError, ValueError) as error:
            self.answer(400, {"error": str(error)})


# On a cluster, requests come from outside the pod; on this machine, from its proxy.
host = "" if "KUBERNETES_SERVICE_HOST" in os.environ else "127.0.0.1"
http.server.ThreadingHTTPServer((host, int(os.environ["PORT"])), Handler).serve_forever()
