"""A job's life with the official Python client: python_client.py NAMESPACE JOB.json"""
import json
import sys
import time

from kubernetes import client, config, watch
from kubernetes.client.rest import ApiException

config.load_kube_config()
namespace, file = sys.argv[1:]
batch, core = client.BatchV1Api(), client.CoreV1Api()
with open(file) as text:
    manifest = json.load(text)


def refused(status, reason, call, *arguments, **more):
    try:
        call(*arguments, **more)
    except ApiException as error:
        assert error.status == status and json.loads(error.body)["reason"] == reason, error
        return
    raise AssertionError(f"{call.__name__} was not refused")


made = batch.create_namespaced_job(namespace, manifest)
assert made.metadata.uid and made.spec.completions == 1 and made.metadata.creation_timestamp.tzinfo, made
refused(409, "AlreadyExists", batch.create_namespaced_job, namespace, manifest)
refused(404, "NotFound", batch.read_namespaced_job, "nothing", namespace)

# Watches the job from the version at its creation until it is complete.
types, watcher = [], watch.Watch()
for event in watcher.stream(batch.list_namespaced_job, namespace, resource_version=made.metadata.resource_version,
                            field_selector="metadata.name=python", timeout_seconds=600):
    types.append(event["type"])
    conditions = event["object"].status.conditions or []
    if any(c.type == "Complete" and c.status == "True" for c in conditions):
        watcher.stop()
assert types and set(types) == {"MODIFIED"}, types
assert batch.read_namespaced_job_status("python", namespace).status.succeeded == 1

pod, = core.list_namespaced_pod(namespace, label_selector="job-name=python").items
assert pod.status.phase == "Succeeded" and pod.status.container_statuses[0].state.terminated.exit_code == 0, pod
assert core.read_namespaced_pod_log(pod.metadata.name, namespace) == "hello from a pod\na second line\n"
assert core.read_namespaced_pod_log(pod.metadata.name, namespace, tail_lines=1) == "a second line\n"
lines = list(watch.Watch().stream(core.read_namespaced_pod_log, pod.metadata.name, namespace))
assert lines == ["hello from a pod", "a second line"], lines
while not any(e.reason == "SuccessfulCreate" for e in core.list_namespaced_event(namespace).items):
    time.sleep(0.1)  # events come a moment later
assert [j.metadata.name for j in batch.list_job_for_all_namespaces(label_selector="app=contract").items
        if j.metadata.namespace == namespace] == ["python"]
assert core.list_node().items and client.VersionApi().get_code().major == "1"

changed = batch.patch_namespaced_job("python", namespace, {"metadata": {"labels": {"more": "yes"}}})
assert changed.metadata.labels["more"] == "yes" and changed.metadata.labels["app"] == "contract", changed
changed.metadata.labels["more"] = "no"
assert batch.replace_namespaced_job("python", namespace, changed).metadata.labels["more"] == "no"
refused(409, "Conflict", batch.replace_namespaced_job, "python", namespace, changed)

# Custom objects, pages, and deletion.
for i in range(3):
    body = client.V1ConfigMap(metadata=client.V1ObjectMeta(name=f"m{i}", labels={"p": "1"}), data={"i": str(i)})
    core.create_namespaced_config_map(namespace, body)
page = core.list_namespaced_config_map(namespace, label_selector="p=1", limit=2)
rest = core.list_namespaced_config_map(namespace, label_selector="p=1", limit=2, _continue=page.metadata._continue)
assert [m.metadata.name for m in page.items + rest.items] == ["m0", "m1", "m2"], (page, rest)
custom = client.CustomObjectsApi()
assert custom.list_namespaced_custom_object("kubeflow.org", "v1", namespace, "pytorchjobs")["items"] == []
before = core.list_namespaced_pod(namespace).metadata.resource_version
answer = batch.delete_namespaced_job("python", namespace, propagation_policy="Background")
assert answer.status == "Success" or answer.details, answer
watcher, types = watch.Watch(), []
for event in watcher.stream(core.list_namespaced_pod, namespace, resource_version=before, timeout_seconds=600):
    types.append(event["type"])
    if event["type"] == "DELETED":
        watcher.stop()
assert types and types[-1] == "DELETED", types
refused(404, "NotFound", batch.read_namespaced_job, "python", namespace)
print("the Python client works")
