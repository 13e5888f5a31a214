"""Pods of the embedded server that carry labels of a job, and names like those of its pods, but are not its own."""

import json
import re
import ssl
import urllib.request

from attacks.common import LocalServer, eventually


SHOWN = b"c4n4ry"


class Strangers(LocalServer):
    def __init__(self, folder):
        super().__init__(folder)
        text = (self.deep / "state/local/kubeconfig").read_text()
        self.place = "https://127.0.0.1:" + re.search(r"server: .*:(\d+)", text)[1]
        self.token, self.tls = re.search(r'token: "?([^"\s]+)', text)[1], ssl._create_unverified_context()
        for name, flags in (("own", []), ("many", ["--array", "0-1"]), ("torch", ["-t", "pytorchjob"])):
            self.kml("submit", "--name", name, "--env", "WHO=own", "--grace", "1s", *flags, "--", "sh", "-c", "echo own line; sleep 100000", codes=(0,))
            self.kml("wait", name, "--for=running", "--timeout", "60s", codes=(0,))
        self.kml("serve", "model", "--env", "WHO=own", "--", "sh", "-c", "exec python3 -m http.server --bind 127.0.0.1 $PORT", codes=(0,))

    def ask(self, method, path, body=None):
        request = urllib.request.Request(f"{self.place}/api/v1/namespaces/default/{path}", body and json.dumps(body).encode(),
                                         {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, context=self.tls) as answer:
            return json.load(answer)

    def stranger(self, draw, pods, name):
        """Creates a pod with most labels of one of the job's pods, and perhaps an owner that resembles the job."""
        model = draw.choice(pods)["metadata"]
        labels = {key: value for key, value in model["labels"].items() if draw.random() < 0.9 and "hash" not in key and "uid" not in key}
        owners = []
        if draw.random() < 0.6:
            owners = [{**model["ownerReferences"][0], **draw.choice([{"uid": "00000000-0000-0000-0000-000000000000"}, {"controller": False}, {"kind": "Job", "apiVersion": "batch/v1",
                       "uid": model["uid"]}, {"name": "other", "uid": model["uid"]}])}]
        program = f"echo {SHOWN.decode()}; {draw.choice(['exit 3', 'exit 0', 'sleep 10000', 'echo RuntimeError: c4n4ry >&2; exit 1'])}"
        self.ask("POST", "pods", {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels, "ownerReferences": owners}, "spec": {
            "restartPolicy": "Never", "terminationGracePeriodSeconds": 0, "containers": [{"name": "main", "image": "none", "command": ["sh", "-c", program],
                "env": [{"name": "WHO", "value": SHOWN.decode()}]}]}})

    def attack(self, draw):
        job = draw.choice(["own", "many", "torch", "model"])
        pods = [pod for pod in self.ask("GET", "pods")["items"] if pod["metadata"]["name"].startswith(job) and pod["metadata"].get("ownerReferences")]
        names = [f"{job}-{draw.choice(['0', 'a', 'master-0', 'zz'])}-x{self.attacks}{number}" for number in range(draw.randint(1, 2))]
        for name in names:
            self.stranger(draw, pods, name)
        begun = lambda: all(self.ask("GET", f"pods/{name}").get("status", {}).get("phase") != "Pending" for name in names)
        eventually(begun)
        of_jobs = [["logs", job], ["logs", "--first-error", job], ["status", job], ["why", job], ["eff", job], ["timeline", job], ["hang", job], ["status", "-o", "json", job]]
        of_served = [["serve", "logs", job], ["serve", "list"]]
        enters = [["exec", job, "--", "sh", "-c", "echo $WHO"], ["exec", job, "--all-ranks", "--", "sh", "-c", "echo $WHO"], ["exec", f"{job}/{names[0].rpartition('-')[2]}", "--", "sh", "-c", "echo $WHO"]]
        for argv in draw.sample((of_served if job == "model" else of_jobs) + enters, 4 if job != "model" else 3):
            seen = self.kml(*argv)
            if SHOWN in seen.output:
                self.fault(f"kml {argv} believes {[self.ask('GET', f'pods/{name}')['metadata'] for name in names]}: {seen.output[-300:]!r}")
        for name in names:
            self.ask("DELETE", f"pods/{name}")
