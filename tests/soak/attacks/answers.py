"""Servers that answer every request with 200 and something that is no answer to it."""

import json

from attacks.common import EVIL, Kind, hostile_server, kubeconfig, serve


ANSWERS = [{}, [], None, True, 0, "", "ok", [{}], {"items": {}}, {"items": "none"}, {"status": "ok"}, {"kind": "Status", "status": "Success"},
           {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "message": "no " + EVIL, "code": 403},
           {"kind": "PodLists", "apiVersion": "v1", "items": []}, {"kind": "SecretList", "apiVersion": "v1", "metadata": {}, "items": []},
           {"kind": "List", "items": 5}, {"apiVersion": "v1", "kind": "Table", "rows": []}, {"data": []}]
TEXTS = [b"", b"<html><title>Sign in</title></html>", b"\x00", b"{", b"null null", b"\xef\xbb\xbf{}", b"OK\n", b"[" * 100_000]


class Odd(hostile_server.Server):
    def answer(self, code, value, kind="application/json"):
        self.send_response(200)
        self.send_header("Content-Type", self.server.kind)
        self.send_header("Content-Length", str(len(self.server.body)))
        self.end_headers()
        self.wfile.write(self.server.body)

    do_PUT = hostile_server.Server.do_PATCH


class Answers(Kind):
    COMMANDS = [["list"], ["list", "-A"], ["list", "-o", "json"], ["list", "-o", "name"], ["queue"], ["queue", "-o", "json"], ["status", "x"], ["why", "x"], ["logs", "x"],
                ["delete", "x"], ["cancel", "x"], ["suspend", "x"], ["resume", "x"], ["wait", "--timeout", "5s", "x"], ["top", "nodes"], ["top", "jobs"], ["exec", "x", "--", "true"],
                ["cp", "x:/a", "b"], ["serve", "list"], ["serve", "logs", "x"], ["submit", "--image", "i:1", "--name", "x", "--", "true"], ["attach", "x"], ["hang", "x"],
                ["delete", "--all", "--yes"], ["cancel", "--all", "--yes"], ["logs", "-l", "a=b"]]

    def __init__(self, folder):
        super().__init__(folder)
        self.server = serve(Odd)
        self.env["KUBECONFIG"] = str(self.deep / "kubeconfig")
        kubeconfig(self.deep / "kubeconfig", {"c": self.server.server_port})

    def attack(self, draw):
        self.server.body = draw.choice([json.dumps(draw.choice(ANSWERS)).encode()] * 3 + [draw.choice(TEXTS)])
        self.server.kind = draw.choice(["application/json"] * 3 + ["text/html", "application/vnd.kubernetes.protobuf"])
        for argv in draw.sample(self.COMMANDS, 3):
            self.kml(*argv, codes=(1, 2, 3, 4, 5))
            self.found[-1:] = [f"{what}; each answer is {self.server.body[:200]!r}" for what in self.found[-1:]]

    def end(self):
        self.server.shutdown()
