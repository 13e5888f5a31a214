"""Kubeconfigs in which one value has another type, or one name two entries."""

import copy
import json

from attacks.common import Kind, serve
from attacks.folder import Recorder
from attacks.server import places


SECRET = "c4n4ry0123456789"
VALUES = [True, False, 0, 12345, -1.5, [], [SECRET], {}, {"name": SECRET}, [[SECRET]], {SECRET: {"a": SECRET}}, SECRET]


def users(trap):
    return [{"token": SECRET, "as": "ana", "as-uid": "7", "as-groups": ["lab"], "as-user-extra": {"reason": ["r"]}},
            {"tokenFile": str(trap)}, {"username": "ana", "password": SECRET}, {"client-certificate": str(trap), "client-key": str(trap)},
            {"client-certificate-data": "QUFB", "client-key-data": "QUFB"}, {"auth-provider": {"name": "oidc", "config": {"id-token": SECRET}}},
            {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(trap), "args": [SECRET], "env": [{"name": "A", "value": SECRET}],
                      "interactiveMode": "Never", "installHint": SECRET, "provideClusterInfo": True}}]


def kind_of(value):
    return next(kind for kind in (bool, (int, float), str, list, dict) if isinstance(value, kind))


class Kubeconfig(Kind):
    COMMANDS = [["list"], ["list", "-A"], ["queue"], ["why", "x"], ["logs", "x"], ["delete", "x"], ["submit", "--image", "i:1", "--", "true"], ["top", "nodes"],
                ["config", "contexts"], ["wait", "x"], ["exec", "x", "--", "true"], ["serve", "list"]]

    def __init__(self, folder):
        super().__init__(folder)
        self.server, self.trap = serve(Recorder), self.deep / "trap"
        self.trap.write_text(f"#!/bin/sh\ntouch '{self.work}/ran'\n")
        self.trap.chmod(0o755)
        self.env["KUBECONFIG"] = str(self.deep / "kubeconfig")

    def attack(self, draw):
        config = {"apiVersion": "v1", "kind": "Config", "current-context": "c",
                  "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{self.server.server_port}", "tls-server-name": "c",
                      "insecure-skip-tls-verify": False, "proxy-url": "http://127.0.0.1:1", "disable-compression": True,
                      draw.choice(["certificate-authority", "certificate-authority-data"]): "QUFB"}}],
                  "users": [{"name": "u", "user": draw.choice(users(self.trap))}],
                  "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u", "namespace": "lab"}}]}
        holder, key = draw.choice([(holder, key) for holder, key in places(config) if holder[key] is not None])
        if draw.random() < 0.1:
            what = draw.choice(["clusters", "users", "contexts"])
            config[what].append(copy.deepcopy(config[what][0]))
        else:
            what = f"{key}: {holder[key]!r}"
            holder[key] = draw.choice([value for value in VALUES if kind_of(value) != kind_of(holder[key])])
        self.server.received = []
        (self.deep / "kubeconfig").write_text(json.dumps(config, indent=draw.choice([None, 2])))
        argv = draw.choice(self.COMMANDS)
        seen = self.kml(*argv, codes=(2,))
        by = f"kml {argv} with {json.dumps(config)}, which had {what}"
        if self.server.received:
            self.fault(f"{by} asks the server: {self.server.received[0][:200]!r}")
        if b"kubeconfig:" not in seen.output:
            self.fault(f"{by} does not name the place: {seen.output[-300:]!r}")
        if SECRET.encode() in seen.output:
            self.fault(f"{by} shows a value: {seen.output[-300:]!r}")
        if (ran := self.work / "ran").exists():
            self.fault(f"{by} runs the plugin")
            ran.unlink()

    def end(self):
        self.server.shutdown()
