"""A client of `kml mcp` for tests, without the protocol's own library: `with Client("--allow", "submit") as client`."""

import json
import os
import subprocess
import threading

KML = os.environ["KML"]
REVISION = "2025-11-25"
MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


class Client:
    def __init__(self, *flags):
        self.process = subprocess.Popen([KML, "mcp", *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.next_id = 0
        self.seen = []  # what the server sent without being asked
        self.results = {}
        self.arrived = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(60)

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            with self.arrived:
                if message.get("id") is None:
                    self.seen.append(message)
                else:
                    self.results[message["id"]] = message
                self.arrived.notify_all()

    def write(self, line):
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def send(self, method, /, **params):
        self.next_id += 1
        self.write(json.dumps({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}).encode())
        return self.next_id

    def notify(self, method, **params):
        self.write(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def response(self, request, seconds=120):
        with self.arrived:
            assert self.arrived.wait_for(lambda: request in self.results, seconds), f"no response to {request}: {self.seen}"
            return self.results.pop(request)

    def ask(self, method, /, **params):
        return self.response(self.send(method, **params))

    def result(self, method, /, **params):
        answer = self.ask(method, **params)
        assert "result" in answer, answer
        return answer["result"]

    def tool(self, name, /, **arguments):
        return self.result("tools/call", name=name, arguments=arguments)

    def data(self, tool, /, **arguments):
        answer = self.tool(tool, **arguments)
        assert not answer.get("isError"), answer
        return answer["structuredContent"].get("data")

    def error(self, tool, /, **arguments):
        answer = self.tool(tool, **arguments)
        assert answer.get("isError"), answer
        return answer["structuredContent"]["error"]
