"""ResourceQuotas: used amounts, refusals, and how a job waits for its quota."""
from contextlib import contextmanager

from cases_objects import status
from objects import condition, config_map, gpus, job, meta, pod
from server import eventually


@contextmanager
def quota(server, name, hard, refused, **spec):
    """A ResourceQuota in force inside the block: admission reads quotas from a copy that is slightly behind, both when
    one comes and when it goes. `refused` is a kind and an object that this quota alone does not admit."""
    answer = server.create("ResourceQuota", {"metadata": meta(name), "spec": {"hard": hard, **spec}})
    assert answer.status == 201, answer
    kind, body = refused
    tried = lambda: server.create(kind, body, dryRun="All").status
    try:
        made = server.until("ResourceQuota", name, lambda q: set(q["status"].get("used") or {}) == set(hard))
        eventually(lambda: tried() == 403)
        yield made
    finally:
        server.delete("ResourceQuota", name)
        eventually(lambda: tried() == 201)


def used(server, name, **amounts):
    amounts = {key.replace("__", "/").replace("_", "."): value for key, value in amounts.items()}
    server.until("ResourceQuota", name, lambda q: {key: q["status"]["used"][key] for key in amounts} == amounts)


def waits(name, **more):
    return pod(name, nodeSelector={"nowhere": "yes"}, **more)


def case_a_quota_of_gpus(server):
    with quota(server, "gpus", {"requests.nvidia.com/gpu": 3, "pods": "50"}, ("Pod", waits("too-many", **gpus(4)))) as made:
        assert made["status"] == {"hard": {"requests.nvidia.com/gpu": "3", "pods": "50"},
                                  "used": {"requests.nvidia.com/gpu": "0", "pods": made["status"]["used"]["pods"]}}, made
        assert server.create("Pod", waits("quota-a", **gpus(2))).status == 201
        used(server, "gpus", **{"requests_nvidia_com__gpu": "2"})
        status(server.create("Pod", waits("quota-b", **gpus(2))), 403, "Forbidden",
               'pods "quota-b" is forbidden: exceeded quota: gpus, requested: requests.nvidia.com/gpu=2, used: requests.nvidia.com/gpu=2, '
               "limited: requests.nvidia.com/gpu=3")
        status(server.ask("POST", server.path("Pod"), waits("quota-c", **gpus(2)), dryRun="All"), 403, "Forbidden", "exceeded quota: gpus")
        server.delete("Pod", "quota-a", gracePeriodSeconds=0)
        used(server, "gpus", **{"requests_nvidia_com__gpu": "0"})
        eventually(lambda: server.create("Pod", waits("quota-b", **gpus(3))).status == 201)
        server.delete("Pod", "quota-b", gracePeriodSeconds=0)


def case_a_quota_of_cpu_asks_each_pod_for_its_requests(server):
    with quota(server, "compute", {"requests.cpu": "1", "limits.memory": "1Gi", "limits.cpu": "4"}, ("Pod", waits("silent"))):
        status(server.create("Pod", waits("silent")), 403, "Forbidden",
               'pods "silent" is forbidden: failed quota: compute: must specify limits.cpu for: main; limits.memory for: main; '
               "requests.cpu for: main")
        asks = lambda cpu, memory: {"container": {"resources": {"requests": {"cpu": cpu}, "limits": {"cpu": "2", "memory": memory}}}}
        assert server.create("Pod", waits("small", **asks("250m", "512Mi"))).status == 201
        used(server, "compute", requests_cpu="250m", limits_memory="512Mi", limits_cpu="2")
        status(server.create("Pod", waits("big", **asks("800m", "768Mi"))), 403, "Forbidden",
               "exceeded quota: compute, requested: limits.memory=768Mi,requests.cpu=800m, used: limits.memory=512Mi,requests.cpu=250m, "
               "limited: limits.memory=1Gi,requests.cpu=1")
        server.delete("Pod", "small", gracePeriodSeconds=0)


def case_a_quota_counts_objects(server):
    there = len(server.get("Job").json["items"])  # jobs of other cases
    full = str(there + 1)
    hard = {"count/jobs.batch": full, "count/configmaps": "1k", "secrets": "0"}
    with quota(server, "counts", hard, ("Secret", {"metadata": meta("none")})):
        assert server.create("Job", job("counted", suspend=True)).status == 201
        used(server, "counts", **{"count__jobs_batch": full})
        status(server.create("Job", job("one-more", suspend=True)), 403, "Forbidden",
               f'jobs.batch "one-more" is forbidden: exceeded quota: counts, requested: count/jobs.batch=1, used: count/jobs.batch={full}, '
               f"limited: count/jobs.batch={full}")
        server.patch("ResourceQuota", "counts", {"spec": {"hard": {"count/jobs.batch": str(there + 2)}}})
        server.until("ResourceQuota", "counts", lambda q: q["status"]["hard"]["count/jobs.batch"] == str(there + 2))
        eventually(lambda: server.create("Job", job("one-more", suspend=True)).status == 201)
        for name in ("counted", "one-more"):
            server.delete("Job", name, propagationPolicy="Background")


def case_scopes_say_which_pods_a_quota_means(server):
    with quota(server, "limited-time", {"pods": "0"}, ("Pod", waits("for-a-minute", activeDeadlineSeconds=60)), scopes=["Terminating"]):
        assert server.create("Pod", waits("for-ever")).status == 201
        status(server.create("Pod", waits("for-a-minute", activeDeadlineSeconds=60)), 403, "Forbidden", "exceeded quota: limited-time")
        server.delete("Pod", "for-ever", gracePeriodSeconds=0)


def case_wrong_quotas_are_invalid(server):
    for hard, text in (({"bananas": "1"}, "spec.hard[bananas]: Invalid value"), ({"pods": "500m"}, "must be an integer"),
                       ({"pods": "-1"}, "must be greater than or equal to 0")):
        status(server.create("ResourceQuota", {"metadata": meta("wrong"), "spec": {"hard": hard}}), 422, "Invalid", text)
    both = {"hard": {"pods": "1"}, "scopes": ["BestEffort", "NotBestEffort"]}
    status(server.create("ResourceQuota", {"metadata": meta("wrong"), "spec": both}), 422, "Invalid", "conflicting scopes")


def case_a_job_waits_until_its_quota_has_room(server):
    with quota(server, "room", {"requests.nvidia.com/gpu": "1"}, ("Pod", waits("too-many", **gpus(2)))):
        server.create("Job", job("needs-room", pod=gpus(2)))
        refusals = lambda: server.get("Event", fieldSelector="involvedObject.name=needs-room,reason=FailedCreate").json["items"]
        eventually(refusals)
        events = refusals()
        assert events[0]["type"] == "Warning", events
        assert "is forbidden: exceeded quota: room, requested: requests.nvidia.com/gpu=2" in events[0]["message"], events
        assert events[0]["message"].startswith('Error creating: pods "needs-room-'), events
        waiting = server.get("Job", "needs-room").json["status"]
        assert not waiting.get("active") and not waiting.get("conditions"), waiting
        server.patch("ResourceQuota", "room", {"spec": {"hard": {"requests.nvidia.com/gpu": "2"}}})
        server.until("Job", "needs-room", lambda j: condition(j, "Complete"))
        used(server, "room", **{"requests_nvidia_com__gpu": "0"})
        server.delete("Job", "needs-room", propagationPolicy="Background")
