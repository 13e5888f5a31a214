"""Another user of the machine who tries to read the embedded server's state, and to stop it."""

import encodings.idna  # noqa: F401: another user cannot load it
import json
import os
import pathlib
import re
import signal
import socket
import ssl

from attacks.common import LocalServer


def as_other(group, work):
    """The result of `work` as user 65534. Runs in a child, because a process cannot become root again."""
    read, write = os.pipe()
    if not (pid := os.fork()):
        try:
            os.setgroups([])
            os.setresgid(group, group, group)
            os.setresuid(65534, 65534, 65534)
            result = work()
        except BaseException as error:  # noqa: BLE001: the child must end here
            result = [repr(error)]
        os.write(write, json.dumps(result).encode()[:60000])
        os._exit(0)
    os.close(write)
    with open(read, "rb") as file:
        text = file.read()
    os.waitpid(pid, 0)
    return json.loads(text)


REFUSED = ("400", "401", "413", "414", "431", "505")  # possible responses to an invalid or too large request


class User(LocalServer):
    def __init__(self, folder):
        super().__init__(folder)
        for place in [self.work, *self.work.rglob("*")]:  # all folders above the state are accessible
            if place.is_dir() and not place.is_relative_to(self.deep / "state/local"):
                place.chmod(0o755)
        self.state = self.deep / "state/local"
        text = (self.state / "kubeconfig").read_text()
        self.port = int(re.search(r"server: .*:(\d+)", text)[1])
        self.token = re.search(r'token: "?([^"\s]+)', text)[1]
        self.tls = ssl._create_unverified_context()
        self.kml("submit", "--name", "secret", "--env", "A=b", "--", "sh", "-c", "echo c4n4ry", codes=(0,))

    def reads(self, files):
        """What can be done to the state and the server: reading, writing, connecting, sending a signal."""
        got = []
        for path in files:
            for what in (lambda: os.listdir(path), lambda: open(path, "rb").read(1), lambda: open(path, "ab"), lambda: os.readlink(path)):
                try:
                    what()
                    got.append(f"{path} can be used")
                except OSError:
                    pass
        for signals in (0, signal.SIGTERM):
            try:
                os.kill(self.pid, signals)
                got.append("the server takes a signal")
            except OSError:
                pass
        for path in (f"/proc/{self.pid}/environ", f"/proc/{self.pid}/fd", f"/proc/{self.pid}/mem"):
            try:
                os.listdir(path) if path.endswith("fd") else open(path, "rb").read(1)
                got.append(f"{path} can be read")
            except OSError:
                pass
        with socket.socket(socket.AF_UNIX) as plain:
            if plain.connect_ex(str(self.state / "server.sock")) == 0:
                got.append("the socket takes a connection")
        return got

    def request(self, draw):
        token = draw.choice([self.token[:-1], self.token + "x", "", "x" * 9000, self.token.swapcase(), self.token[::-1], "\0" + self.token])
        authorization = draw.choice(["", f"Authorization: Bearer {token}\r\n", f"Authorization: Basic {token}\r\n", f"authorization: Bearer x\r\nAuthorization: Bearer {token}\r\n",
                                     f"X-Remote-User: admin\r\nImpersonate-User: root\r\nAuthorization: Bearer {token}\r\n"])
        path = draw.choice(["/api/v1/pods", "/apis", "/version", "/api/v1/secrets", "//api/v1/pods", "/api/v1/namespaces/default/pods/../../secrets", "/%2e%2e/kubeconfig", "/readyz/../api",
                            "/api/v1/pods?watch=1", "/metrics", "/openapi/v2", "/api/v1/namespaces/default/pods/secret/log", "*", "http://x/api"])
        method = draw.choice(["GET", "POST", "DELETE", "PATCH", "PUT", "HEAD", "OPTIONS", "CONNECT", "BREW"])
        return f"{method} {path} HTTP/1.1\r\nHost: x\r\n{authorization}Connection: close\r\n\r\n".encode()

    def malformed(self, draw):
        request = bytearray(self.request(draw))
        for _ in range(draw.randint(1, 5)):
            at = draw.randrange(len(request))
            request[at:at + draw.randint(0, 3)] = draw.choice([b"", b"\r\n", b"\0", b" ", b":", b"Content-Length: -1\r\n", b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
                                                              draw.randbytes(8), b"A: b\r\n" * 5000, b"x" * 70000])
        return bytes(request)

    def answers(self, data, secured):
        """The status codes of the responses; none if the server closes the connection."""
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=5)
        try:
            with (self.tls.wrap_socket(plain) if secured else plain) as peer:
                peer.sendall(data)
                peer.settimeout(1)
                return re.findall(rb"^HTTP/1\.\d (\d+)", peer.recv(65536), re.M)
        except OSError:
            return []
        finally:
            plain.close()

    def attack(self, draw):
        files = [self.state, *self.state.rglob("*")]
        group = draw.choice([0, 65534])
        for got in as_other(group, lambda: self.reads(files)):
            self.fault(f"as group {group}: {got}")
        for _ in range(4):
            data, well_formed = draw.choice([(self.request(draw), True), (self.malformed(draw), False), (draw.randbytes(draw.randint(1, 5000)), False),
                                             (b"\x16\x03\x01\x02\x00\x01" + draw.randbytes(draw.randint(0, 600)), False)])
            secured = well_formed or draw.random() < 0.6
            for status in as_other(group, lambda: [code.decode() for code in self.answers(data, secured)]):
                if status not in (("401",) if well_formed else REFUSED):
                    self.fault(f"answers {status} to {data[:300]!r}")
            self.attacks += 1
        self.kml("list", codes=(0,))
        if not pathlib.Path(f"/proc/{self.pid}").exists():
            self.fault("the server has ended: " + (self.state / "server.log").read_text()[-500:])
