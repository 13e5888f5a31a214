"""Folders with a hostile kml.yaml, git configuration and file names, and context names that are code."""

import base64
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import time
import zlib

from attacks.common import EVIL, KML, PATIENCE, Kind, hostile_server, kubeconfig, serve


CODE_NAMES = ["zz$(touch ran)", "zz`touch ran`", "zz;touch ran;", "zz'$(touch ran)'", 'zz"$(touch ran)"', "zz|touch ran", "zz&touch ran&",
              "zz\ntouch ran\n", "zz" + EVIL, "zz\x1b[201~\rtouch ran\r", "zz*", "zz ${IFS}$(touch${IFS}ran)", "zz>ran", "zz\\$(touch ran)", "--zz=$(touch ran)"]
TAKES = ["secrets: [CANARY]", "secrets: [X=@../secret]", "secrets: [X=@link]", "env-from: [theirs]", "pull-secrets: [theirs]", "service-account: root",
         'mounts: ["host/etc:/e"]', 'mounts: ["secret/theirs:/s"]', "code: ..", "code: outside", "templates: ./templates", "templates: ..", "templates: outside",
         "template: ./templates/job.yaml", "template: outside/job.yaml", "context: prod", "env: {X: $CANARY, Y: '${CANARY}', Z: '@../secret'}", "image: '$(cat ../secret)'",
         "code: .", "namespace: ../../prod", "env: {X: !!binary Y2FuYXJ5}", "secrets: [CANARY=]", "secrets: &a [CANARY]\nx: *a", "set: ['spec.x=@../secret']"]
FREE = ("image: ", "code: .")  # need no trust
VARIABLES = ["LD_PRELOAD", "LD_AUDIT", "BASH_ENV", "ENV", "PYTHONPATH", "PYTHONSTARTUP", "PATH", "NODE_OPTIONS", "GIT_SSH_COMMAND", "PERL5OPT", "HTTPS_PROXY", "https_proxy",
             "ALL_PROXY", "SSL_CERT_FILE", "AWS_ENDPOINT_URL", "HF_ENDPOINT", "PIP_INDEX_URL", "KUBECONFIG", "HOME", "omp_num_threads", "CUDA_INJECTION64_PATH", "IFS", "X"]
TAKES += [f"env: {{{name}: ./x}}" for name in VARIABLES]
GIT = ["core.fsmonitor", "core.pager", "core.sshCommand", "core.editor", "diff.external", "diff.mine.command", "diff.mine.textconv", "filter.mine.clean",
       "filter.mine.smudge", "filter.mine.process", "core.gitProxy", "credential.helper", "core.askPass", "gpg.program", "alias.status", "core.alternateRefsCommand"]
SWEEP = """{"apiVersion": "kml.dev/v1", "kind": "Sweep", "metadata": {"name": %s}, "spec": {"objective": {"type": "maximize", "objectiveMetricName": %s},
"parameters": [{"name": %s, "parameterType": "int", "feasibleSpace": {"min": "1", "max": "2"}}], "maxTrialCount": 2,
"trialTemplate": {"trialSpec": {"apiVersion": "batch/v1", "kind": "Job", "spec": {"template": {"spec": {"restartPolicy": "Never",
"containers": [{"name": "main", "image": "i:1", "command": ["sh", "-c", "echo ${CANARY} {x}"], "env": [{"name": "A", "value": "$(CANARY)"}]}]}}}}}}}"""


class Recorder(hostile_server.Server):
    """Accepts all data sent to it. `received` has the data, and the paths of what was read."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.received.append(body)
        self.answer(201, json.loads(body) if body.startswith(b"{") else {})

    do_PATCH = do_PUT = do_POST

    def do_GET(self):
        self.server.received.append(self.path.encode())
        self.refuse(404)


def unpacked(data):
    """The data, including what is hidden in base64 and gzip."""
    yield data
    for text in re.findall(rb"[A-Za-z0-9+/]{16,}={0,2}", data):
        try:
            raw = base64.b64decode(text)
            yield raw
            yield zlib.decompressobj(31).decompress(raw)
        except (ValueError, zlib.error):
            pass


class Folder(Kind):
    def __init__(self, folder):
        super().__init__(folder)
        self.target, self.prod = serve(Recorder), serve(Recorder)
        self.env["KUBECONFIG"] = str(self.deep / "kubeconfig")
        self.repository = self.deep / "repository"
        subprocess.run(["git", "init", "-q", self.repository], check=True, env=self.env)
        (self.deep / "bin").mkdir()
        (self.deep / "bin/kml").symlink_to(KML)
        self.env["PATH"] = f"{self.deep / 'bin'}:{self.env['PATH']}"

    def make(self, draw):
        """The project folder of a round, with a canary outside it."""
        self.target.received, self.prod.received = [], []
        self.canary = "c4n4ry" + "".join(draw.choices("abcdef0123456789", k=16))
        self.env["CANARY"] = self.canary
        project = self.deep / "project"
        shutil.rmtree(project, ignore_errors=True)
        shutil.copytree(self.repository, project)
        outside = self.deep / "outside"
        outside.mkdir(exist_ok=True)
        for file in (self.deep / "secret", outside / "secret", outside / "job.yaml"):
            file.write_text(f"# {self.canary}\nspec: {{}}\n")
        (project / "link").symlink_to("../secret")
        (project / "outside").symlink_to("../outside")
        trap = self.deep / "trap"
        trap.write_text(f"#!/bin/sh\ntouch '{self.work}/ran'\ncat\n")
        trap.chmod(0o755)
        with open(project / ".git/config", "a") as config:
            for setting in draw.sample(GIT, 6):
                section, *middle, key = setting.split(".")
                config.write(f"[{section}{' ' + json.dumps(middle[0]) if middle else ''}]\n  {key} = {trap}\n")
            config.write(f'[url "ext::{trap} "]\n  insteadOf = https://127.0.0.1:1/\n')
        if draw.random() < 0.4:
            self.name_outside(draw, project)
        for hook in draw.sample(["post-index-change", "pre-commit", "post-checkout", "fsmonitor-watchman", "reference-transaction"], 3):
            (project / ".git/hooks").mkdir(exist_ok=True)
            shutil.copy(trap, project / ".git/hooks" / hook)
        (project / ".gitattributes").write_text("* filter=mine diff=mine\n")
        (project / "templates").mkdir()
        name = draw.choice(CODE_NAMES)
        for file in ("job", name):
            (project / "templates" / f"{file}.yaml").write_text("kml: template/v1\nparameters: {}\nbody: {}\n" if draw.random() < 0.5 else f"spec: '{self.canary[:3]}'\n")
        (project / f"{name}.yaml").write_text(SWEEP % tuple(json.dumps(draw.choice(["x", name])) for _ in range(3)))
        (project / f"job-{name}.yaml").write_text(json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"containers": [{"name": name, "image": "$(cat ../secret)", "command": ["${CANARY}"]}]}}))
        takes = draw.sample(TAKES, draw.randint(1, 3)) if draw.random() < 0.8 else []
        self.needs_trust = any(not take.startswith(FREE) or take == "code: .." for take in takes)
        if takes:
            (project / "kml.yaml").write_text("\n".join(takes) + "\n")
        contexts = {draw.choice(["c", name]): self.target.server_port, "prod": self.prod.server_port,
                    **{other: self.prod.server_port for other in draw.sample(CODE_NAMES, 4) if other != name}}
        kubeconfig(self.deep / "kubeconfig", contexts)
        return project, name

    def name_outside(self, draw, project):
        """Makes the repository's index name a file behind a link, or makes the folder above its work tree, with files there in
        the index."""
        git = lambda *words: subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=project, check=True, env=self.env, stdout=subprocess.PIPE).stdout.decode().strip()
        shutil.move(project / ".git/config", self.deep / "config-of-git")
        empty = git("hash-object", "-w", "/dev/null")
        names = draw.choice([["outside/secret"], ["secret", "outside/secret"]])
        for name in names:
            git("update-index", "--add", "--cacheinfo", f"100644,{empty},{name}")
        git("commit", "-q", "-m", "x")
        shutil.move(self.deep / "config-of-git", project / ".git/config")
        if len(names) > 1:
            with open(project / ".git/config", "a") as config:
                config.write(f"[core]\n  worktree = {draw.choice([self.deep, '../..'])}\n")

    def commands(self, name):
        return [["submit", "--dry-run", "--", "true"], ["submit", "--name", "x", "--image", "i:1", "--", "true"], ["submit", "--dry-run", "-t", f"./templates/{name}.yaml", "--", "true"],
                ["submit", "--dry-run", "-f", f"./job-{name}.yaml"], ["sweep", "run", "-f", f"./{name}.yaml", "--dry-run"], ["submit", "--code", ".", "--image", "i:1", "--", "true"],
                ["__complete", "--", "submit", "--template", "zz"], ["__complete", "--", "config", "view", "--context", ""], ["__complete", "--", "logs", ""],
                ["schedule", "git", "https://127.0.0.1:1/x.git#main", "-f", f"./{name}.yaml", "--once"], ["config", "view"], ["config", "view", "--origin"], ["config", "contexts"], ["template", "list"], ["template", "show", name],
                ["template", "check", f"./templates/{name}.yaml"], ["trust", "--list"], ["history"], ["list"], ["doctor"]]

    def complete(self, draw, project):
        """Presses TAB in a real bash, for one line after the other."""
        lines = [f"{line}\t\t\t\rtrue\r" for line in draw.sample(["kml config view --context zz", "kml submit --context z", "kml submit -t zz", "kml template show zz",
                                                            "kml sweep run -f zz", "kml submit -f ./job-"], 2)]
        typed = "bind 'set enable-bracketed-paste off'; source <(kml completion bash); echo se''t-up\r"
        argv = ["bash", "--norc", "--noprofile", "-i"]
        pid, fd = pty.fork()
        if pid == 0:
            os.chdir(project)
            os.execvpe(argv[0], argv, {**self.env, "TERM": "dumb", "PS1": "> "})
        try:
            for text, shown in ((typed, b"set-up"), ("".join(lines) + "echo do''ne\r", b"done")):
                os.write(fd, text.encode())
                seen, end = b"", time.monotonic() + PATIENCE
                while shown not in seen and select.select([fd], [], [], max(0, end - time.monotonic()))[0]:
                    seen += os.read(fd, 65536)
                if shown not in seen:
                    self.fault(f"bash waits for ever after {text!r}: {seen[-300:]!r}")
            self.check(seen, f"bash: {lines}")
        finally:
            os.kill(pid, signal.SIGKILL)
            os.close(fd)
            os.waitpid(pid, 0)
        self.attacks += 1

    def check(self, output, by):
        if self.canary.encode() in output:
            self.fault(f"{by} prints the canary: {output[-600:]!r}")
        for server in (self.target, self.prod):
            if any(self.canary.encode() in part for body in server.received for part in unpacked(body)):
                self.fault(f"{by} sends the canary")
        for file in (self.deep / "state").rglob("*"):
            if file.is_file() and self.canary.encode() in file.read_bytes():
                self.fault(f"{by} keeps the canary in {file}")
        if self.prod.received:
            self.fault(f"{by} asks a context that nobody chose: {self.prod.received[0][:200]!r}")
        self.target.received, self.prod.received = [], []
        for ran in self.work.rglob("ran*"):
            self.fault(f"{by} runs a name or a program of the folder: {ran}")
            ran.unlink()

    def attack(self, draw):
        project, name = self.make(draw)
        for argv in draw.sample(self.commands(name), 4):
            is_refused = self.needs_trust and argv[0] == "submit" and "-f" not in argv
            seen = self.kml(*argv, folder=project, codes=(2,) if is_refused else (0, 1, 2, 3, 4, 5, 130))
            self.check(seen.output, f"kml {argv} with {(project / 'kml.yaml').exists() and (project / 'kml.yaml').read_text()!r}")
        if draw.random() < 0.5:
            self.complete(draw, project)

    def end(self):
        for server in (self.target, self.prod):
            server.shutdown()
