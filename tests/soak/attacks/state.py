"""Damaged files in kml's state folder."""

import json
import re
import shutil
import subprocess

from attacks.common import LocalServer
from attacks.server import VALUES, places


SECRET = "c4n4ry0123456789"
PIPELINE = """apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: p}
spec: {steps: {a: {command: [sh, -c, 'echo 1 >"${out.n}"; echo x >"${out.f}"'], outputs: {n: value, f: file}}}}
"""
COMMANDS = [["history"], ["history", "one"], ["history", "-o", "json"], ["list"], ["status", "one"], ["why", "one"], ["logs", "one"], ["rerun", "one", "--dry-run"],
            ["sweep", "list"], ["sweep", "status", "s"], ["sweep", "best", "s"], ["sweep", "report", "s"], ["sweep", "export", "s"], ["sweep", "logs", "s"], ["sweep", "resume", "s"],
            ["run", "list"], ["run", "status", "p-1"], ["run", "resume", "p-1"], ["runs"], ["runs", "-o", "json"], ["runs", "compare", "one", "two"], ["artifact", "list"],
            ["artifact", "get", "p-1/a.f"], ["artifact", "lineage", "p-1/a.f"], ["gc", "--dry-run"], ["usage"], ["trust", "--list"], ["timeline", "one"], ["schedule", "list"]]


class State(LocalServer):
    def __init__(self, folder):
        super().__init__(folder)
        self.env["CANARY"] = SECRET
        (self.home / "p.yaml").write_text(PIPELINE)
        (self.home / "kml.yaml").write_text("retries: 0\n")
        self.kml("trust", codes=(0,))
        for name in ("one", "two"):
            self.kml("submit", "--name", name, "--secret", "CANARY", "--wait", "--", "sh", "-c", "echo loss=0.5", codes=(0,))
        self.kml("sweep", "run", "s", "--param", "x=1..3", "--maximize", "v", "--trials", "2", "--", "sh", "-c", "echo v={x}", codes=(0,))
        self.kml("run", "p.yaml", "--name", "p-1", codes=(0,))
        self.whole = self.deep / "whole"
        shutil.copytree(self.deep / "state", self.whole, ignore=shutil.ignore_patterns("local"))

    def damage(self, draw, file):
        data = bytearray(file.read_bytes())
        how = draw.choice(["flip", "cut", "insert", "value", "value", "value", "remove", "folder", "link"])
        if how == "value" and (lines := data.decode("utf-8", "replace").split("\n")):
            number = draw.randrange(len(lines))
            try:
                line = json.loads(lines[number])
                holder, key = draw.choice(list(places(line)))
                holder[key] = draw.choice([value for value in VALUES if value != "@@deep@@"])
                lines[number] = json.dumps(line)
            except (ValueError, IndexError):
                lines[number] = draw.choice(["{", "null", "[]", "{}", lines[number] * 2])
            data = "\n".join(lines).encode("utf-8", "surrogatepass")
        elif how == "flip" and data:
            for _ in range(draw.randint(1, 20)):
                data[draw.randrange(len(data))] = draw.randrange(256)
        elif how == "cut":
            data = data[:draw.randint(0, len(data))]
        elif how == "insert":
            at = draw.randint(0, len(data))
            data[at:at] = draw.choice([b"\0" * 100, b"\xff\xfe", b"[" * 100_000, b"\n\n{\n", draw.randbytes(50)])
        file.chmod(0o600)
        file.unlink()
        if how == "folder":
            file.mkdir()
        elif how == "link":
            file.symlink_to(draw.choice(["/dev/null", "missing", "/etc"]))
        elif how != "remove":
            file.write_bytes(bytes(data))
        return f"{how} {file.relative_to(self.deep)}"

    def attack(self, draw):
        state = self.deep / "state"
        for place in state.iterdir():
            if place.name != "local":
                subprocess.run(["rm", "-rf", place], check=True)
        shutil.copytree(self.whole, state, dirs_exist_ok=True, symlinks=True)
        files = sorted(file for file in state.rglob("*") if file.is_file() and not file.is_relative_to(state / "local"))
        damages = [self.damage(draw, file) for file in draw.sample(files, draw.randint(1, 3))]
        before = len(self.found)
        for argv in draw.sample(COMMANDS, 4):
            seen = self.kml(*argv)
            if re.search(rb"json\.exception|std::|terminate called", seen.output):
                self.fault(f"kml {argv} tells an exception: {seen.output[-300:]!r}")
            if SECRET.encode() in seen.output:
                self.fault(f"kml {argv} shows a secret")
        self.found[before:] = [f"{what}; {damages}" for what in self.found[before:]]
