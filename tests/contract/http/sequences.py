"""Sends random sequences of operations to a real API server and to the embedded one. Their responses and final
objects must be equal except for LEFT_OUT and for the texts that the servers word differently.

    sequences.py REAL.json EMBEDDED.json NAMESPACE [--count 50] [--seed 1] [--steps 12]
"""
import argparse
import copy
import json
import random
import re
import sys

from objects import config_map, job, meta, pod
from server import Server, eventually

# Allowed differences: names, times and counters that each server generates itself, and fields that only one of them
# stores.
LEFT_OUT = {"uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "managedFields", "status", "continue",
            "remainingItemCount", "deletionGracePeriodSeconds"}
UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
DRAWN = re.compile(r"\b(drawn-)[a-z0-9]{5}\b")


# Entries that a cluster adds to each pod, for failures of nodes and for the API's token, and to each namespace.
CLUSTERS_OWN = re.compile(r"^(kube-api-access-.*|kube-root-ca.crt|node.kubernetes.io/(not-ready|unreachable))$")


def of_cluster(item):
    return isinstance(item, dict) and CLUSTERS_OWN.match(
        str(item.get("name") or item.get("key") or (item.get("metadata") or {}).get("name"))) is not None


def cleaned(value):
    if isinstance(value, dict):
        value = {key: item for key, item in value.items() if not (isinstance(item, list) and item and all(map(of_cluster, item)))
                 or key == "items"}
        return {key: cleaned(item) for key, item in value.items()
                if key not in LEFT_OUT or (value.get("kind") == "Status" and key == "status")}
    if isinstance(value, list):
        return [cleaned(item) for item in value if not of_cluster(item)]
    if isinstance(value, str):
        return DRAWN.sub(r"\1*", UID.sub("<uid>", value))
    return value


# The servers use different words for a body, a patch or a selector that they cannot read.
UNREADABLE = re.compile(r"(cannot be handled as a \w+: )(?!strict decoding error).*|unable to parse requirement.*|"
                        r".*is not a selector.*|the server rejected our request.*|the patch does not fit the object.*", re.S)


# The embedded server's warning about fields that it ignores.
UNOBEYED = "ignored by the embedded server"

# The servers use different words for an invalid name.
OWN_WORDS = re.compile(r"(a DNS label is recommended: )\[.*\]")


def outcome(answer):
    body = answer.json
    if isinstance(body, dict) and body.get("kind") == "Status":
        causes = (body.get("details") or {}).get("causes") or []
        return {"status": answer.status, "reason": body.get("reason"),
                "causes": sorted({(c.get("reason"), c.get("field")) for c in causes}, key=str),
                "message": UNREADABLE.sub(r"\1", cleaned(body.get("message", ""))) if not causes else ""}
    return {"status": answer.status, "body": cleaned(body), "warning": sorted(
        OWN_WORDS.sub(r"\1", warning) for warning in answer.headers.get_all("Warning") or [] if UNOBEYED not in warning)}


class Draw:
    """The random choices of one sequence; the same for both servers."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.one = self.random.choice

    def chance(self, share):
        return self.random.random() < share

    def name(self, kind):
        good = [f"{kind.lower()}-{i}" for i in range(3)]
        return self.one(good * 8 + ["Bad_Name", "a" * 70, "ends-"])

    def labels(self):
        return self.one([None, {"app": "x"}, {"app": "y", "tier": "z"}, {"bad key!": "x"}, {"a": "bad value!"}, {"app": ""}])

    def data(self):
        return self.one([{}, {"a": "1"}, {"a": "2", "b": "3"}, {"bad key!": "1"}, {"a": 1}, None, "text"])

    def config_map(self, name):
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": self.data()}
        if self.chance(0.1):
            body["immutable"] = True
        return body

    def secret(self, name):
        return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name},
                self.one(["data", "stringData"]): self.one([{"a": "Yg=="}, {"a": "plain"}, {}, {"b": "YQ=="}]),
                **self.one([{}, {}, {"type": "Opaque"}, {"type": "example.com/own"}])}

    def container(self):
        return self.one([{}] * 6 + [
            {"resources": {"requests": {"cpu": "100m"}}}, {"resources": {"limits": {"nvidia.com/gpu": "1"}}},
            {"resources": {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "2"}}},
            {"resources": {"limits": {"memory": "lots"}}}, {"env": [{"name": "A", "value": "1"}]}, {"env": [{"value": "1"}]},
            {"env": [{"name": "N", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]}, {"image": ""}, {"name": "Bad_Name"},
            {"volumeMounts": [{"name": "none", "mountPath": "/x"}]}, {"workingDir": "/w", "imagePullPolicy": "Never"},
            {"imagePullPolicy": "Perhaps"}, {"ports": [{"containerPort": 80}]}, {"ports": [{"containerPort": 80000}]},
            {"command": "sh"}])

    def main(self, fields):
        """The container that all pods have, as a job has it."""
        return {**job("any")["spec"]["template"]["spec"]["containers"][0], **fields}

    def pod_fields(self):
        return self.one([{}] * 5 + [
            {"restartPolicy": "OnFailure"}, {"restartPolicy": "Sometimes"}, {"terminationGracePeriodSeconds": -1},
            {"tolerations": [{"key": "a", "operator": "Exists"}]}, {"tolerations": [{"key": "a", "operator": "Maybe"}]},
            {"volumes": [{"name": "v"}]}, {"volumes": [{"name": "v", "emptyDir": {"sizeLimit": "1Gi"}}]},
            {"volumes": [{"name": "v", "secret": {"secretName": "s"}}]}, {"volumes": [{"name": "v"}, {"name": "v"}]},
            {"activeDeadlineSeconds": 0}, {"nodeSelector": {"nowhere": "yes", "bad key!": "x"}}, {"unknown": 1},
            {"priorityClassName": "none-such"}])

    def job(self, name):
        body = job(name, pod={**self.pod_fields(), "container": self.container()}, suspend=True)
        body["spec"].update(self.one([{}] * 4 + [
            {"parallelism": 2}, {"completions": 3}, {"completions": 2, "completionMode": "Indexed"}, {"backoffLimit": -1},
            {"completionMode": "Indexed", "parallelism": 2}, {"ttlSecondsAfterFinished": 100}, {"activeDeadlineSeconds": 60},
            {"backoffLimitPerIndex": 1, "completionMode": "Indexed", "completions": 2}, {"maxFailedIndexes": 1},
            {"podFailurePolicy": {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1]}}]}},
            {"podFailurePolicy": {"rules": [{"action": "Never", "onExitCodes": {"operator": "In", "values": [0]}}]}},
            {"podReplacementPolicy": "Failed"}, {"paralelism": 2}, {"selector": {"matchLabels": {"a": "b"}}}]))
        return body

    def pod(self, name):
        body = pod(name, **{"nodeSelector": {"nowhere": "yes"}, **self.pod_fields(), "container": self.container()})
        body["spec"].setdefault("nodeSelector", {})["nowhere"] = "yes"
        return body

    def object(self, kind):
        name = self.name(kind)
        body = {"ConfigMap": self.config_map, "Secret": self.secret, "Job": self.job, "Pod": self.pod}[kind](name)
        labels = self.labels()
        if labels is not None:
            body["metadata"]["labels"] = labels
        if self.chance(0.1):
            del body["metadata"]["name"]
            body["metadata"]["generateName"] = "drawn-"
        return body

    def change(self, kind):
        """Draws a merge patch."""
        spec = {"ConfigMap": [{"data": self.data()}], "Secret": [{"data": {"a": "Yw=="}}, {"stringData": {"c": "d"}}, {"type": "other"}],
                "Job": [{"spec": s} for s in ({"parallelism": 3}, {"completions": 5}, {"backoffLimit": 2}, {"parallelism": None},
                        {"ttlSecondsAfterFinished": 7}, {"template": {"spec": {"nodeSelector": {"more": "1"}}}}, {"unknown": 1},
                        {"template": {"spec": {"restartPolicy": "OnFailure"}}}, {"completionMode": "Indexed"}, {"parallelism": "x"},
                        {"template": {"spec": {"containers": [self.main({})]}}}, {"template": {"metadata": {"labels": {"more": "1"}}}},
                        {"template": {"spec": {"containers": [self.main({"resources": {"limits": {"cpu": "2"}}})]}}})],
                "Pod": [{"spec": s} for s in ({"activeDeadlineSeconds": 5}, {"nodeSelector": {"x": "y"}}, {"restartPolicy": "Always"},
                        {"containers": [{"name": "main", "image": "localhost/busybox:2"}]}, {"tolerations": [{"key": "n", "operator": "Exists"}]})]}
        return self.one(spec[kind] * 2 + [{"metadata": {"labels": self.labels()}}, {"metadata": {"annotations": {"n": "1"}}},
                                          {"metadata": {"name": "renamed"}}, {"metadata": {"finalizers": None}}, {}])

    def operations(self):
        return self.one([
            [{"op": "add", "path": "/metadata/labels", "value": {"j": "1"}}], [{"op": "remove", "path": "/metadata/labels"}],
            [{"op": "test", "path": "/metadata/name", "value": "other"}], [{"op": "replace", "path": "/data", "value": {"r": "1"}}],
            [{"op": "add", "path": "/metadata/annotations", "value": {"k": "v"}}, {"op": "copy", "from": "/metadata/annotations/k",
              "path": "/metadata/annotations/l"}], [{"op": "brew", "path": "/x"}], {"no": "list"},
            [{"op": "move", "from": "/metadata/labels/app", "path": "/metadata/labels/moved"}]])

    def query(self):
        return self.one([{}] * 5 + [{"dryRun": "All"}, {"fieldValidation": "Strict"}, {"fieldValidation": "Ignore"}, {"dryRun": "Some"}])

    def step(self):
        kind = self.one(["ConfigMap", "ConfigMap", "Secret", "Job", "Job", "Pod"])
        verb = self.one(["create"] * 4 + ["patch"] * 3 + ["json"] * 2 + ["strategic", "strategic", "get", "list", "replace", "delete", "delete", "collection"])
        step = {"verb": verb, "kind": kind, "name": f"{kind.lower()}-{self.random.randrange(3)}", "query": self.query()}
        if verb == "create" or verb == "replace":
            step["body"] = self.object(kind)
        if verb in ("patch", "strategic"):
            step["body"] = self.change(kind)
        if verb == "json":
            step["body"] = self.operations()
        if verb in ("list", "collection"):
            step["query"] = {"labelSelector": self.one(["app=x", "app in (x,y)", "!app", "app", "app=", "a b"])}
        if verb == "list" and self.chance(0.3):
            step["query"]["limit"] = 1
        if verb == "delete":
            step["body"] = self.one([None, {"propagationPolicy": "Background"}, {"gracePeriodSeconds": 0}, {"dryRun": ["All"]},
                                     {"preconditions": {"uid": "00000000-0000-0000-0000-000000000000"}}, {"propagationPolicy": "Sideways"}])
            step["query"] = {}
        return step


def perform(server, step):
    kind, name, query = step["kind"], step["name"], step["query"]
    body = copy.deepcopy(step.get("body"))
    if step["verb"] == "create":
        return server.create(kind, body, **query)
    if step["verb"] == "replace":
        # Replaces the current version of the object. A controller may change the object in between.
        current = lambda: (server.get(kind, name).json.get("metadata") or {}).get("resourceVersion")
        while True:
            version = current()
            if version:
                body["metadata"] = {**body["metadata"], "name": name, "resourceVersion": version}
            answer = server.replace(kind, name, body, **query)
            if answer.status != 409 or current() == version:
                return answer
    if step["verb"] in ("patch", "json", "strategic"):
        type = {"patch": "merge", "json": "json", "strategic": "strategic-merge"}[step["verb"]]
        return server.patch(kind, name, body, type, **query)
    if step["verb"] in ("get", "list"):
        return server.get(kind, name if step["verb"] == "get" else "", **query)
    answer = server.delete(kind, name if step["verb"] == "delete" else "", body, **query)
    settle(server, kind)
    return answer


def settle(server, kind):
    """Waits until deleted objects are gone, because other programs do the work, which takes time."""
    eventually(lambda: not any("deletionTimestamp" in item["metadata"] for item in server.get(kind).json["items"]))


def final(server):
    objects = {}
    for kind in ("ConfigMap", "Secret", "Job", "Pod"):
        for item in server.get(kind).json["items"]:
            if item["metadata"]["name"] != "kube-root-ca.crt":
                objects.setdefault(kind + " " + cleaned(item["metadata"]["name"]), []).append(cleaned(item))
    # Objects with generated names look alike, and would otherwise be sorted by the generated part.
    return {name: sorted(items, key=lambda item: json.dumps(item, sort_keys=True)) for name, items in objects.items()}


def clear(server):
    for kind in ("Job", "Pod", "ConfigMap", "Secret"):
        server.delete(kind, body={"propagationPolicy": "Background", "gracePeriodSeconds": 0})
        settle(server, kind)


def differences(a, b, path=""):
    if isinstance(a, dict) and isinstance(b, dict):
        return [d for key in sorted(a.keys() | b.keys()) for d in differences(a.get(key), b.get(key), f"{path}.{key}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [d for i, (x, y) in enumerate(zip(a, b)) for d in differences(x, y, f"{path}[{i}]")]
    return [] if a == b else [f"{path}: real {json.dumps(a)} embedded {json.dumps(b)}"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("real")
    parser.add_argument("embedded")
    parser.add_argument("namespace")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=12)
    options = parser.parse_args()
    servers = [Server(options.real, options.namespace), Server(options.embedded, options.namespace)]
    if servers[0].minor != servers[1].minor:
        print(f"SKIPPED: the embedded server follows Kubernetes 1.{servers[1].minor}, and this is 1.{servers[0].minor}")
        sys.exit(77)
    wrong = operations = 0
    for seed in range(options.seed, options.seed + options.count):
        draw = Draw(seed)
        for server in servers:
            clear(server)
        for number in range(options.steps):
            step = draw.step()
            operations += 1
            found = differences(*(outcome(perform(server, step)) for server in servers))
            if found:
                wrong += 1
                print(f"sequence {seed} step {number}: {json.dumps(step)[:500]}\n  " + "\n  ".join(text[:700] for text in found), flush=True)
        found = differences(*(final(server) for server in servers))
        if found:
            wrong += 1
            print(f"sequence {seed}, final objects:\n  " + "\n  ".join(text[:700] for text in found), flush=True)
    print(f"{options.count} sequences, {operations} operations, {wrong} differences")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
