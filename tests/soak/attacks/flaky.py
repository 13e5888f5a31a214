"""Servers that reject some or all requests the first time: commands must end with the same exit code as if the servers
had not."""

import os

from attacks.common import Kind, hostile_server, kubeconfig, serve


REFUSALS = [401, 429, 500, 502, 503, 504, "close"]
# A request that creates an object is repeated only if the server has certainly not acted.
REFUSALS_OF_POST = [401, 429, 503]


class Flaky(hostile_server.Server):
    def refuses(self):
        """Rejects some of the requests that were not sent before."""
        asked = (self.command, self.path)
        if self.server.draw is None or asked in self.server.asked:
            return False
        self.server.asked.add(asked)
        if self.server.draw.random() > self.server.share:
            return False
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        how = self.server.draw.choice(REFUSALS_OF_POST if self.command == "POST" else REFUSALS)
        self.close_connection = True
        if how == "close":
            return True
        self.send_response(how)
        self.send_header("Content-Length", "0")
        self.send_header("Connection", "close")
        if how in (429, 503) or self.server.draw.random() < 0.9:
            self.send_header("Retry-After", "0")
        self.end_headers()
        return True

    def do_GET(self):
        return self.refuses() or super().do_GET()

    def do_POST(self):
        return self.refuses() or super().do_POST()

    def do_PATCH(self):
        return self.refuses() or super().do_PATCH()

    def do_DELETE(self):
        if self.refuses():
            return
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.answer(200, {"kind": "Status", "apiVersion": "v1", "status": "Success"})


class FlakyServer(Kind):
    COMMANDS = [["list"], ["list", "-A"], ["status", "evil"], ["why", "evil"], ["logs", "evil"], ["logs", "-f", "evil"], ["logs", "--first-error", "evil"], ["queue"], ["delete", "evil"],
                ["cancel", "evil"], ["suspend", "evil"], ["wait", "evil"], ["top", "nodes"], ["top", "jobs"], ["timeline", "evil"], ["eff", "evil"],
                ["submit", "--image", "i:1", "--name", "evil", "--", "true"], ["submit", "--image", "i:1", "--name", "evil", "--wait", "--", "true"], ["rerun", "evil", "--name", "evil"]]

    def __init__(self, folder):
        super().__init__(folder)
        self.server = serve(Flaky)
        self.env["KUBECONFIG"] = str(self.deep / "kubeconfig")
        kubeconfig(self.deep / "kubeconfig", {"c": self.server.server_port})

    def attack(self, draw):
        argv = draw.choice(self.COMMANDS)
        self.server.draw = None
        whole = self.kml(*argv)
        self.server.draw, self.server.asked, self.server.share = draw, set(), draw.choice([0.2, 0.6, 1])
        flaky = self.kml(*argv)
        codes = [os.waitstatus_to_exitcode(seen.status) for seen in (whole, flaky)]
        if codes[0] != codes[1]:
            self.fault(f"kml {argv} exits with {codes[1]} instead of {codes[0]} where requests are refused once: {flaky.output[-300:]!r}")

    def end(self):
        self.server.shutdown()
