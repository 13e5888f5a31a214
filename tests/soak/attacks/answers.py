"""Servers and buckets that respond to every request, or to each change, with 200 and a body that does not fit the
request."""

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


class Partly(Odd):
    """Reads get right answers: a job runs."""

    def answer(self, code, value, kind="application/json"):
        if self.command != "GET":
            return super().answer(code, value, kind)
        for one in value.get("items", [value]) if isinstance(value, dict) else []:
            if one.get("kind") == "Job":
                one["status"] = {"active": 1, "startTime": hostile_server.NOW}
        return hostile_server.Server.answer(self, code, value, kind)


class Answers(Kind):
    CHANGES = [["delete", "evil"], ["cancel", "evil"], ["suspend", "evil"], ["submit", "--image", "i:1", "--name", "x", "--", "true"],
               ["submit", "--image", "i:1", "--array", "0-9", "--name", "x", "--", "true"], ["delete", "--all", "--yes"], ["cancel", "--all", "--yes"]]
    COMMANDS = [["list"], ["list", "-A"], ["list", "-o", "json"], ["list", "-o", "name"], ["queue"], ["queue", "-o", "json"], ["status", "x"], ["why", "x"], ["logs", "x"],
                ["delete", "x"], ["cancel", "x"], ["suspend", "x"], ["resume", "x"], ["wait", "--timeout", "5s", "x"], ["top", "nodes"], ["top", "jobs"], ["exec", "x", "--", "true"],
                ["cp", "x:/a", "b"], ["serve", "list"], ["serve", "logs", "x"], ["submit", "--image", "i:1", "--name", "x", "--", "true"], ["attach", "x"], ["hang", "x"],
                ["delete", "--all", "--yes"], ["cancel", "--all", "--yes"], ["logs", "-l", "a=b"], ["gc", "--store", "s3://bucket/prefix"], ["gc", "--store", "s3://bucket/prefix", "--dry-run"]]

    def __init__(self, folder):
        super().__init__(folder)
        self.server, self.partly = serve(Odd), serve(Partly)
        url = f"http://127.0.0.1:{self.server.server_port}"
        self.env |= {"KUBECONFIG": str(self.deep / "kubeconfig"), "AWS_ENDPOINT_URL_S3": url, "AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s", "AWS_REGION": "r"}
        kubeconfig(self.deep / "kubeconfig", {"c": self.server.server_port, "partly": self.partly.server_port})

    def attack(self, draw):
        self.server.body = draw.choice([json.dumps(draw.choice(ANSWERS)).encode()] * 3 + [draw.choice(TEXTS)])
        self.server.kind = draw.choice(["application/json"] * 3 + ["text/html", "application/vnd.kubernetes.protobuf"])
        self.partly.body, self.partly.kind = self.server.body, self.server.kind
        is_deletion = b'"Success"' in self.server.body and self.server.kind == "application/json"
        changes = [argv for argv in self.CHANGES if argv[0] != "delete" or not is_deletion]
        for argv in draw.sample(self.COMMANDS, 3) + [["--context", "partly", *draw.choice(changes)]]:
            self.kml(*argv, codes=(1, 2, 3, 4, 5))
            self.found[-1:] = [f"{what}; each answer is {self.server.body[:200]!r}" for what in self.found[-1:]]

    def end(self):
        self.server.shutdown()
        self.partly.shutdown()
