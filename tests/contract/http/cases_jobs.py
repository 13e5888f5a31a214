"""Jobs and their pods, from creation to end."""
from cases_objects import status
from objects import condition, gpus, job, meta, pod
from server import eventually


def pods_of(server, name):
    return server.get("Pod", labelSelector=f"batch.kubernetes.io/job-name={name}").json["items"]


def run(server, name, script, **more):
    answer = server.create("Job", job(name, script, **more))
    assert answer.status == 201, answer
    return answer.json


def finished(server, name, type):
    return server.until("Job", name, lambda j: condition(j, type))


def case_defaults_of_a_job(server):
    made = server.create("Job", {"metadata": meta("defaults"), "spec": {"suspend": True, "template": {"spec": {
        "restartPolicy": "Never", "containers": [{"name": "c", "image": "localhost/busybox:1", "command": ["sh"]}]}}}}).json
    spec, uid = made["spec"], made["metadata"]["uid"]
    assert {k: v for k, v in spec.items() if k != "template"} == {
        "parallelism": 1, "completions": 1, "backoffLimit": 6, "completionMode": "NonIndexed", "suspend": True,
        "manualSelector": False, "podReplacementPolicy": "TerminatingOrFailed",
        "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}}, spec
    labels = {"batch.kubernetes.io/controller-uid": uid, "batch.kubernetes.io/job-name": "defaults",
              "controller-uid": uid, "job-name": "defaults"}
    assert spec["template"]["metadata"]["labels"] == labels, spec
    assert made["metadata"]["labels"] == labels, made
    pod_spec = spec["template"]["spec"]
    assert {k: v for k, v in pod_spec.items() if k != "containers"} == {
        "restartPolicy": "Never", "terminationGracePeriodSeconds": 30, "dnsPolicy": "ClusterFirst",
        "schedulerName": "default-scheduler", "securityContext": {}}, pod_spec
    assert pod_spec["containers"] == [{
        "name": "c", "image": "localhost/busybox:1", "command": ["sh"], "resources": {}, "imagePullPolicy": "IfNotPresent",
        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"}], pod_spec
    server.delete("Job", "defaults")


def case_a_job_that_succeeds(server):
    run(server, "succeeds", "echo done")
    done = finished(server, "succeeds", "Complete")["status"]
    assert done["succeeded"] == 1 and not done.get("failed") and not done.get("active"), done
    assert [c["type"] for c in done["conditions"]] == ["SuccessCriteriaMet", "Complete"], done
    assert [c["reason"] for c in done["conditions"]] == ["CompletionsReached"] * 2, done
    assert done["startTime"] <= done["completionTime"] and done["uncountedTerminatedPods"] == {}, done
    assert done["ready"] == 0 and done["terminating"] == 0, done
    pod, = pods_of(server, "succeeds")
    assert pod["status"]["phase"] == "Succeeded" and not pod["metadata"].get("finalizers"), pod
    owner, = pod["metadata"]["ownerReferences"]
    assert owner["kind"] == "Job" and owner["name"] == "succeeds" and owner["controller"] and owner["blockOwnerDeletion"], pod
    ended = pod["status"]["containerStatuses"][0]["state"]["terminated"]
    assert ended["exitCode"] == 0 and ended["reason"] == "Completed", pod
    assert {c["type"]: c["status"] for c in pod["status"]["conditions"] if c["type"] in ("Ready", "PodScheduled", "Initialized")} == {
        "Initialized": "True", "Ready": "False", "PodScheduled": "True"}, pod


def case_a_job_that_fails(server):
    run(server, "fails", "exit 3")
    failed = finished(server, "fails", "Failed")["status"]
    assert failed["failed"] == 1 and not failed.get("succeeded") and "completionTime" not in failed, failed
    assert [(c["type"], c["reason"], c["message"]) for c in failed["conditions"]] == [
        ("FailureTarget", "BackoffLimitExceeded", "Job has reached the specified backoff limit"),
        ("Failed", "BackoffLimitExceeded", "Job has reached the specified backoff limit")], failed
    pod, = pods_of(server, "fails")
    ended = pod["status"]["containerStatuses"][0]["state"]["terminated"]
    assert pod["status"]["phase"] == "Failed" and ended["exitCode"] == 3 and ended["reason"] == "Error", pod


def case_a_job_that_takes_too_long(server):
    run(server, "late", "sleep 1000 & wait", activeDeadlineSeconds=1)
    failed = finished(server, "late", "Failed")["status"]
    assert failed["conditions"][-1]["reason"] == "DeadlineExceeded", failed
    assert failed["conditions"][-1]["message"] == "Job was active longer than specified deadline", failed


def case_pods_of_an_indexed_job_know_their_index(server):
    run(server, "indexed", "echo $JOB_COMPLETION_INDEX", completions=3, parallelism=3, completionMode="Indexed")
    done = finished(server, "indexed", "Complete")["status"]
    assert done["succeeded"] == 3 and done["completedIndexes"] == "0-2", done
    pods = sorted(pods_of(server, "indexed"), key=lambda p: p["metadata"]["name"])
    for i, pod in enumerate(pods):
        assert pod["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"] == str(i), pod
        assert pod["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"] == str(i), pod
        assert pod["metadata"]["name"].startswith(f"indexed-{i}-") and pod["spec"]["hostname"] == f"indexed-{i}", pod
        assert server.get("Pod", pod["metadata"]["name"], "log").text == f"{i}\n"


def case_indexes_fail_by_themselves(server):
    run(server, "per-index", "exit $JOB_COMPLETION_INDEX", completions=2, parallelism=2, completionMode="Indexed",
        backoffLimitPerIndex=0, backoffLimit=10)
    failed = finished(server, "per-index", "Failed")["status"]
    assert failed["completedIndexes"] == "0" and failed["failedIndexes"] == "1", failed
    assert failed["conditions"][-1]["reason"] == "FailedIndexes", failed


def case_a_failure_policy_ends_a_job_at_once(server):
    rule = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}
    run(server, "policy", "exit 42", backoffLimit=5, podFailurePolicy={"rules": [rule]})
    failed = finished(server, "policy", "Failed")["status"]
    assert failed["conditions"][-1]["reason"] == "PodFailurePolicy" and failed["failed"] == 1, failed
    assert "exit code 42" in failed["conditions"][-1]["message"], failed


def case_a_suspended_job_has_no_pods_until_it_is_resumed(server):
    run(server, "suspended", "exit 0", suspend=True)
    waits = server.until("Job", "suspended", lambda j: condition(j, "Suspended"))
    assert waits["status"]["conditions"][0]["reason"] == "JobSuspended" and "startTime" not in waits["status"], waits
    assert pods_of(server, "suspended") == []
    server.patch("Job", "suspended", {"spec": {"suspend": False}})
    done = finished(server, "suspended", "Complete")["status"]
    assert done["conditions"][0] == {**done["conditions"][0], "type": "Suspended", "status": "False", "reason": "JobResumed"}, done


def case_suspending_a_running_job_ends_its_pods(server):
    run(server, "pause", "sleep 1000 & wait")
    server.until("Job", "pause", lambda j: j["status"].get("ready") == 1)
    server.patch("Job", "pause", {"spec": {"suspend": True}})
    paused = server.until("Job", "pause", lambda j: condition(j, "Suspended") and not j["status"].get("terminating"))
    assert not paused["status"].get("active") and not paused["status"].get("failed"), paused["status"]
    server.delete("Job", "pause", propagationPolicy="Background")


def case_a_pod_that_succeeds_at_a_suspension_is_not_counted(server):
    run(server, "polite", "trap 'exit 0' TERM; sleep 1000 & wait")
    server.until("Job", "polite", lambda j: j["status"].get("ready") == 1)
    server.patch("Job", "polite", {"spec": {"suspend": True}})
    server.until("Job", "polite", lambda j: condition(j, "Suspended") and not j["status"].get("terminating"))
    server.patch("Job", "polite", {"spec": {"suspend": False}})
    again = server.until("Job", "polite", lambda j: j["status"].get("ready") == 1)
    assert not again["status"].get("succeeded"), again["status"]
    server.delete("Job", "polite", propagationPolicy="Background")


def case_deletion_leaves_pods_unless_it_says_background(server):
    run(server, "orphaned", "exit 0")
    finished(server, "orphaned", "Complete")
    answer = server.delete("Job", "orphaned")
    assert answer.status == 200 and answer.json["metadata"]["finalizers"] == ["orphan"], answer
    assert "child pods are preserved by default" in answer.headers["Warning"], answer.headers
    eventually(lambda: server.get("Job", "orphaned").status == 404)
    pod, = pods_of(server, "orphaned")
    assert not pod["metadata"].get("ownerReferences"), pod
    server.delete("Pod", pod["metadata"]["name"])


def gone(server, name):
    eventually(lambda: not pods_of(server, name) and server.get("Job", name).status == 404)


def case_deletion_in_the_background(server):
    run(server, "back", "sleep 1000 & wait")
    server.until("Job", "back", lambda j: j["status"].get("active") == 1)
    answer = server.delete("Job", "back", propagationPolicy="Background")
    assert answer.status == 200 and answer.json["kind"] == "Status" and answer.json["details"]["kind"] == "jobs", answer
    assert server.get("Job", "back").status == 404
    gone(server, "back")


def case_deletion_in_the_foreground(server):
    run(server, "fore", "sleep 1000 & wait")
    server.until("Job", "fore", lambda j: j["status"].get("active") == 1)
    answer = server.delete("Job", "fore", propagationPolicy="Foreground")
    assert answer.status == 200 and answer.json["kind"] == "Job", answer
    assert answer.json["metadata"]["finalizers"] == ["foregroundDeletion"] and answer.json["metadata"]["deletionTimestamp"], answer
    gone(server, "fore")


def case_a_pod_gets_its_grace(server):
    server.create("Pod", pod("graceful", "trap 'exit 7' TERM; echo ready; while :; do sleep 0.1; done", terminationGracePeriodSeconds=3600))
    server.until("Pod", "graceful", lambda p: p["status"]["phase"] == "Running")
    eventually(lambda: "ready" in server.get("Pod", "graceful", "log").text)
    answer = server.delete("Pod", "graceful")
    assert answer.json["kind"] == "Pod" and answer.json["metadata"]["deletionGracePeriodSeconds"] == 3600, answer
    eventually(lambda: server.get("Pod", "graceful").status == 404)


def case_logs_and_their_errors(server):
    server.create("Pod", pod("logs", "echo one; echo two >&2; echo three"))
    server.until("Pod", "logs", lambda p: p["status"]["phase"] == "Succeeded")
    log = lambda **query: server.get("Pod", "logs", "log", **query)
    assert sorted(log().text.split("\n")) == ["", "one", "three", "two"], log()
    assert log().headers["Content-Type"].startswith("text/plain"), log().headers
    assert log(limitBytes=2).text in ("on", "tw"), log(limitBytes=2)
    assert len(log(tailLines=1).text.split("\n")[0]) > 0
    assert log(timestamps="true").text.split(" ")[0].endswith("Z")
    assert log(container="main").status == 200
    status(log(container="none"), 400, "BadRequest", "container none is not valid for pod logs")
    status(log(previous="true"), 400, "BadRequest", 'previous terminated container "main" in pod "logs" not found')
    status(server.get("Pod", "nothing", "log"), 404, "NotFound", 'pods "nothing" not found')
    status(log(tailLines="-1"), 422, "Invalid", "tailLines")


def case_the_log_of_a_pod_that_waits(server):
    server.create("Pod", pod("waits", nodeSelector={"nowhere": "yes"}))
    waits = server.until("Pod", "waits", lambda p: p["status"].get("conditions"))
    scheduled, = [c for c in waits["status"]["conditions"] if c["type"] == "PodScheduled"]
    assert scheduled["status"] == "False" and scheduled["reason"] == "Unschedulable", scheduled
    assert waits["status"]["phase"] == "Pending" and not waits["spec"].get("nodeName"), waits
    answer = server.get("Pod", "waits", "log")
    assert answer.status == 204 and answer.text == "", answer
    server.delete("Pod", "waits", gracePeriodSeconds=0)
    assert server.get("Pod", "waits").status == 404


def case_pods_with_two_containers_need_one_named(server):
    body = pod("two")
    body["spec"]["containers"].append({"name": "side", "image": "localhost/busybox:1", "command": ["sh", "-c", "echo side"]})
    server.create("Pod", body)
    server.until("Pod", "two", lambda p: p["status"]["phase"] == "Succeeded")
    status(server.get("Pod", "two", "log"), 400, "BadRequest", "a container name must be specified for pod two, choose one of: [main side]")
    assert server.get("Pod", "two", "log", container="side").text == "side\n"


def case_events_tell_of_a_job(server):
    run(server, "told", "exit 0")
    finished(server, "told", "Complete")
    told = lambda: server.get("Event", fieldSelector="involvedObject.name=told,involvedObject.kind=Job").json["items"]
    eventually(lambda: {"SuccessfulCreate", "Completed"} <= {e["reason"] for e in told()})


def case_a_finished_job_goes_when_its_time_is_over(server):
    run(server, "ttl", "exit 0", ttlSecondsAfterFinished=0)
    gone(server, "ttl")


def case_wrong_jobs_are_invalid(server):
    for name, change, path, text in (
            ("neg", {"parallelism": -1}, "spec.parallelism", "Invalid value: -1: must be greater than or equal to 0"),
            ("mode", {"completionMode": "Sideways"}, "spec.completionMode", 'Unsupported value: "Sideways"'),
            ("idx", {"completionMode": "Indexed", "parallelism": 1}, "spec.completions", "Required value: when completion mode is Indexed"),
            ("per", {"backoffLimitPerIndex": 1}, "spec.backoffLimitPerIndex",
             "Invalid value: 1: requires indexed completion mode")):
        answer = server.create("Job", job(name, **change))
        status(answer, 422, "Invalid", f'Job.batch "{name}" is invalid: ', f"{path}: {text}")
    always = job("always", pod={"restartPolicy": "Always"})
    status(server.create("Job", always), 422, "Invalid", 'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"')
    empty = job("empty")
    empty["spec"]["template"]["spec"]["containers"] = []
    status(server.create("Job", empty), 422, "Invalid", "spec.template.spec.containers: Required value")


def case_a_job_replaced_without_what_the_server_added_is_refused(server):
    body = job("replaced", suspend=True)
    server.create("Job", body)
    answer = server.replace("Job", "replaced", body)
    status(answer, 422, "Invalid", "spec.selector: Required value", "spec.template.metadata.labels: Invalid value",
           "`selector` does not match template `labels`", "spec.selector: Invalid value", "field is immutable")
    server.delete("Job", "replaced", propagationPolicy="Background")


def case_a_template_keeps_what_its_pods_are_given(server):
    answer = server.create("Job", job("template", suspend=True, pod={"terminationGracePeriodSeconds": -1, **gpus(1)}))
    spec = answer.json["spec"]["template"]["spec"]
    assert spec["terminationGracePeriodSeconds"] == -1 and spec["containers"][0]["resources"] == {"limits": {"nvidia.com/gpu": "1"}}, spec
    assert "negative values are invalid and will be treated as 1" in answer.headers["Warning"], answer.headers
    server.patch("Job", "template", {"spec": {"suspend": False}})
    server.until("Job", "template", lambda j: j["status"].get("active") or j["status"].get("succeeded"))
    made, = pods_of(server, "template")
    assert made["spec"]["terminationGracePeriodSeconds"] == 1, made
    assert made["spec"]["containers"][0]["resources"]["requests"] == {"nvidia.com/gpu": "1"}, made
    server.delete("Job", "template", propagationPolicy="Background")
