"""ResourceQuotas: used amounts, refusals, and how a job waits for its quota."""
import time

from cases_objects import status
from objects import condition, config_map, gpus, job, meta, pod
from server import eventually


def quota(server, name, hard, **spec):
    answer = server.create("ResourceQuota", {"metadata": meta(name), "spec": {"hard": hard, **spec}})
    assert answer.status == 201, answer
    return server.until("ResourceQuota", name, lambda q: set(q["status"].get("used") or {}) == set(hard))


def used(server, name, **amounts):
    amounts = {key.replace("__", "/").replace("_", "."): value for key, value in amounts.items()}
    server.until("ResourceQuota", name, lambda q: {key: q["status"]["used"][key] for key in amounts} == amounts)


def waits(name, **more):
    return pod(name, nodeSelector={"nowhere": "yes"}, **more)


def case_a_quota_of_gpus(server):
    made = quota(server, "gpus", {"requests.nvidia.com/gpu": 3, "pods": "5"})
    assert made["status"] == {"hard": {"requests.nvidia.com/gpu": "3", "pods": "5"},
                              "used": {"requests.nvidia.com/gpu": "0", "pods": made["status"]["used"]["pods"]}}, made
    assert server.create("Pod", waits("quota-a", **gpus(2))).status == 201
    used(server, "gpus", **{"requests_nvidia_com__gpu": "2"})
    status(server.create("Pod", waits("quota-b", **gpus(2))), 403, "Forbidden",
           'pods "quota-b" is forbidden: exceeded quota: gpus, requested: requests.nvidia.com/gpu=2, used: requests.nvidia.com/gpu=2, '
           "limited: requests.nvidia.com/gpu=3")
    status(server.ask("POST", server.path("Pod"), waits("quota-c", **gpus(2)), dryRun="All"), 403, "Forbidden", "exceeded quota: gpus")
    server.delete("Pod", "quota-a", gracePeriodSeconds=0)
    used(server, "gpus", **{"requests_nvidia_com__gpu": "0"})
    assert server.create("Pod", waits("quota-b", **gpus(3))).status == 201
    server.delete("Pod", "quota-b", gracePeriodSeconds=0)
    server.delete("ResourceQuota", "gpus")


def case_a_quota_of_cpu_asks_each_pod_for_its_requests(server):
    quota(server, "compute", {"requests.cpu": "1", "limits.memory": "1Gi", "limits.cpu": "4"})
    status(server.create("Pod", waits("silent")), 403, "Forbidden",
           'pods "silent" is forbidden: failed quota: compute: must specify limits.cpu for: main; limits.memory for: main; requests.cpu for: main')
    asks = lambda cpu, memory: {"container": {"resources": {"requests": {"cpu": cpu}, "limits": {"cpu": "2", "memory": memory}}}}
    assert server.create("Pod", waits("small", **asks("250m", "512Mi"))).status == 201
    used(server, "compute", requests_cpu="250m", limits_memory="512Mi", limits_cpu="2")
    status(server.create("Pod", waits("big", **asks("800m", "768Mi"))), 403, "Forbidden",
           "exceeded quota: compute, requested: limits.memory=768Mi,requests.cpu=800m, used: limits.memory=512Mi,requests.cpu=250m, "
           "limited: limits.memory=1Gi,requests.cpu=1")
    server.delete("Pod", "small", gracePeriodSeconds=0)
    server.delete("ResourceQuota", "compute")


def case_a_quota_counts_objects(server):
    there = len(server.get("Job").json["items"])  # jobs of other cases
    full = str(there + 1)
    quota(server, "counts", {"count/jobs.batch": full, "count/configmaps": "1k", "secrets": "50"})
    assert server.create("Job", job("counted", suspend=True)).status == 201
    used(server, "counts", **{"count__jobs_batch": full})
    status(server.create("Job", job("one-more", suspend=True)), 403, "Forbidden",
           f'jobs.batch "one-more" is forbidden: exceeded quota: counts, requested: count/jobs.batch=1, used: count/jobs.batch={full}, '
           f"limited: count/jobs.batch={full}")
    server.patch("ResourceQuota", "counts", {"spec": {"hard": {"count/jobs.batch": str(there + 2)}}})
    server.until("ResourceQuota", "counts", lambda q: q["status"]["hard"]["count/jobs.batch"] == str(there + 2))
    eventually(lambda: server.create("Job", job("one-more", suspend=True)).status == 201)  # admission's copy of the quota is slightly behind
    for name in ("counted", "one-more"):
        server.delete("Job", name, propagationPolicy="Background")
    server.delete("ResourceQuota", "counts")


def case_scopes_say_which_pods_a_quota_means(server):
    quota(server, "limited-time", {"pods": "0"}, scopes=["Terminating"])
    assert server.create("Pod", waits("for-ever")).status == 201
    status(server.create("Pod", waits("for-a-minute", activeDeadlineSeconds=60)), 403, "Forbidden", "exceeded quota: limited-time")
    server.delete("Pod", "for-ever", gracePeriodSeconds=0)
    server.delete("ResourceQuota", "limited-time")


def case_wrong_quotas_are_invalid(server):
    for hard, text in (({"bananas": "1"}, "spec.hard[bananas]: Invalid value"), ({"pods": "500m"}, "must be an integer"),
                       ({"pods": "-1"}, "must be greater than or equal to 0")):
        status(server.create("ResourceQuota", {"metadata": meta("wrong"), "spec": {"hard": hard}}), 422, "Invalid", text)
    both = {"hard": {"pods": "1"}, "scopes": ["BestEffort", "NotBestEffort"]}
    status(server.create("ResourceQuota", {"metadata": meta("wrong"), "spec": both}), 422, "Invalid", "conflicting scopes")


def case_a_job_waits_until_its_quota_has_room(server):
    quota(server, "room", {"requests.nvidia.com/gpu": "1"})
    server.create("Job", job("needs-room", pod=gpus(2)))
    deadline = time.monotonic() + 30
    while True:
        events = server.get("Event", fieldSelector="involvedObject.name=needs-room,reason=FailedCreate").json["items"]
        if events or time.monotonic() > deadline:
            break
        time.sleep(0.1)
    assert events and events[0]["type"] == "Warning", events
    assert "is forbidden: exceeded quota: room, requested: requests.nvidia.com/gpu=2" in events[0]["message"], events
    assert events[0]["message"].startswith('Error creating: pods "needs-room-'), events
    waits = server.get("Job", "needs-room").json["status"]
    assert not waits.get("active") and not waits.get("conditions"), waits
    server.patch("ResourceQuota", "room", {"spec": {"hard": {"requests.nvidia.com/gpu": "2"}}})
    server.until("Job", "needs-room", lambda j: condition(j, "Complete"), seconds=120)
    used(server, "room", **{"requests_nvidia_com__gpu": "0"})
    server.delete("Job", "needs-room", propagationPolicy="Background")
    server.delete("ResourceQuota", "room")
