"""Priority, preemption, gangs and GPUs."""
from cases_objects import status
from objects import condition, gpus, job, meta, pod
from server import eventually


def priority_class(server, name, value, **more):
    server.ask("DELETE", server.path("PriorityClass", name))
    return server.create("PriorityClass", {"metadata": meta(name), "value": value, **more})


def priority_class_in_force(server, name, value):
    """Created, and also known to admission, which reads classes from a cache that is slightly behind."""
    made = priority_class(server, name, value)
    assert made.status == 201, made

    def known():
        asked = server.create("Pod", pod("asks-for-its-class", priorityClassName=name), dryRun="All")
        return asked.status == 201 and asked.json["spec"]["priority"] == value

    eventually(known)


def case_a_pod_gets_the_priority_of_its_class(server):
    priority_class_in_force(server, "contract-high", 1000)
    made = server.create("Pod", pod("prio", priorityClassName="contract-high")).json
    assert made["spec"]["priority"] == 1000 and made["spec"]["preemptionPolicy"] == "PreemptLowerPriority", made
    plain = server.create("Pod", pod("plain")).json
    assert plain["spec"]["priority"] == 0, plain
    answer = server.create("Pod", pod("none", priorityClassName="contract-none"))
    status(answer, 403, "Forbidden", 'pods "none" is forbidden: no PriorityClass with name contract-none was found')


def case_a_pod_of_high_priority_takes_the_place_of_a_low_one(server):
    priority_class_in_force(server, "contract-high", 1000)
    priority_class_in_force(server, "contract-low", -10)
    server.create("Job", job("low", "sleep 1000 & wait", {"priorityClassName": "contract-low", **gpus(3)}, backoffLimit=6,
                             podFailurePolicy={"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]}))
    server.until("Job", "low", lambda j: j["status"].get("ready") == 1)
    victim, = server.get("Pod", labelSelector="job-name=low").json["items"]
    server.create("Job", job("high", "exit 0", {"priorityClassName": "contract-high", **gpus(3)}))
    server.until("Job", "high", lambda j: condition(j, "Complete"))
    low = server.until("Job", "low", lambda j: j["status"].get("active") == 1 and not j["status"].get("terminating"))
    assert not low["status"].get("failed"), low
    ended = server.get("Pod", victim["metadata"]["name"])
    if ended.status == 200:
        target, = [c for c in ended.json["status"]["conditions"] if c["type"] == "DisruptionTarget"]
        assert target["reason"] == "PreemptionByScheduler" and target["status"] == "True", target
    assert not condition(low, "Failed"), low
    server.delete("Job", "low", propagationPolicy="Background")


def case_the_pods_of_a_group_start_together(server):
    if server.ask("GET", "/apis/scheduling.k8s.io/v1beta1").status == 404:
        return  # gangs are off by default
    group = {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": meta("trio")}
    status(server.create("PodGroup", {**group, "spec": {"schedulingPolicy": {}}}), 422, "Invalid")
    status(server.create("PodGroup", {**group, "spec": {"schedulingPolicy": {"gang": {"minCount": 0}}}}), 422, "Invalid")
    status(server.create("PodGroup", {**group, "spec": {"schedulingPolicy": {"gang": {"minCount": 2, "most": 3}}}},
                         fieldValidation="Strict"), 400, "BadRequest")
    member = {"schedulingGroup": {"podGroupName": "trio"}}
    for name in ("one", "two"):
        assert server.create("Pod", pod(f"trio-{name}", **member)).status == 201
    made = server.create("PodGroup", {**group, "spec": {"schedulingPolicy": {"gang": {"minCount": 3}}}})
    assert made.status == 201 and made.json["spec"]["disruptionMode"] == {"single": {}}, made
    # The others wait, although a pod that came later has been scheduled.
    server.create("Pod", pod("alone"))
    server.until("Pod", "alone", lambda p: p["spec"].get("nodeName"))
    for name in ("one", "two"):
        assert not server.get("Pod", f"trio-{name}").json["spec"].get("nodeName")
    server.create("Pod", pod("trio-three", **member))
    for name in ("one", "two", "three"):
        server.until("Pod", f"trio-{name}", lambda p: p["spec"].get("nodeName"))
    server.until("PodGroup", "trio", lambda g: condition(g, "PodGroupInitiallyScheduled"))
    status(server.patch("PodGroup", "trio", {"spec": {"schedulingPolicy": {"gang": None, "basic": {}}}}), 422, "Invalid")
    smaller = server.patch("PodGroup", "trio", {"spec": {"schedulingPolicy": {"gang": {"minCount": 2}}}})
    assert smaller.status == 200, smaller
    for name in ("alone", "trio-one", "trio-two", "trio-three"):
        server.delete("Pod", name, gracePeriodSeconds=0)
    server.delete("PodGroup", "trio")


def case_what_asks_for_more_gpus_than_there_are_waits_and_says_why(server):
    server.create("Pod", pod("large", **gpus(100)))
    waits = server.until("Pod", "large", lambda p: p["status"].get("conditions"))
    scheduled, = [c for c in waits["status"]["conditions"] if c["type"] == "PodScheduled"]
    assert scheduled["reason"] == "Unschedulable" and "Insufficient nvidia.com/gpu" in scheduled["message"], scheduled
    server.delete("Pod", "large", gracePeriodSeconds=0)


def case_a_classes_value_is_fixed(server):
    priority_class(server, "contract-fixed", 5)
    answer = server.patch("PriorityClass", "contract-fixed", {"value": 6})
    status(answer, 422, "Invalid", "value: Forbidden: may not be changed in an update.")
    status(priority_class(server, "contract-huge", 1000000001), 422, "Invalid", "maximum allowed value of a user defined priority is 1000000000")


def case_gpus_are_whole_and_their_request_is_their_limit(server):
    body = pod("half", container={"resources": {"limits": {"nvidia.com/gpu": "500m"}}})
    status(server.create("Pod", body), 422, "Invalid", "spec.containers[0].resources.limits[nvidia.com/gpu]: Invalid value: \"500m\": must be an integer")
    body = pod("unequal", container={"resources": {"limits": {"nvidia.com/gpu": "2"}, "requests": {"nvidia.com/gpu": "1"}}})
    status(server.create("Pod", body), 422, "Invalid", "must be equal to nvidia.com/gpu limit of 2")
    made = server.create("Pod", pod("whole", nodeSelector={"nowhere": "yes"}, **gpus(1))).json
    assert made["spec"]["containers"][0]["resources"] == {"limits": {"nvidia.com/gpu": "1"}, "requests": {"nvidia.com/gpu": "1"}}, made
    server.delete("Pod", "whole", gracePeriodSeconds=0)
