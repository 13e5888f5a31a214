"""The objects that cases send."""


def meta(name, **more):
    return {"name": name, **more}


def config_map(name, data=None, **metadata):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta(name, **metadata), "data": data or {}}


def pod_spec(script="exit 0", **more):
    container = {"name": "main", "image": "localhost/busybox:1", "command": ["sh", "-c", script]}
    container.update(more.pop("container", {}))
    return {"restartPolicy": "Never", "terminationGracePeriodSeconds": 1, "nodeSelector": {"contract": "here"},
            "containers": [container], **more}


def pod(name, script="exit 0", **more):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta(name), "spec": pod_spec(script, **more)}


def job(name, script="exit 0", pod=None, **spec):
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": meta(name),
            "spec": {"backoffLimit": 0, "template": {"spec": pod_spec(script, **(pod or {}))}, **spec}}


def gpus(count):
    return {"container": {"resources": {"limits": {"nvidia.com/gpu": str(count)}}}}


def condition(object, type):
    """Whether a condition of the object's status is True."""
    found = [c for c in object.get("status", {}).get("conditions", []) if c["type"] == type]
    return bool(found) and found[0]["status"] == "True"
