"""Lists, their pages and selectors, and watches."""
import base64
import json
import os
import subprocess

from objects import config_map
from cases_objects import status
from server import eventually


def fill(server, label, count):
    return [server.create("ConfigMap", config_map(f"{label}-{i}", labels={"set": label, "n": str(i)})).json for i in range(count)]


def names(answer):
    return [item["metadata"]["name"] for item in answer.json["items"]]


def case_a_list_names_its_kind_and_version(server):
    answer = server.get("Job", labelSelector="none=none")
    assert answer.json["kind"] == "JobList" and answer.json["apiVersion"] == "batch/v1" and answer.json["items"] == [], answer
    assert answer.json["metadata"]["resourceVersion"].isdigit(), answer


def case_label_selectors(server):
    fill(server, "sel", 3)
    for selector, found in (("set=sel,n=1", [1]), ("set=sel,n!=1", [0, 2]), ("set=sel,n in (0,2)", [0, 2]),
                            ("set=sel,n notin (0)", [1, 2]), ("set=sel,!n", []), ("set==sel,n", [0, 1, 2])):
        got = names(server.get("ConfigMap", labelSelector=selector))
        assert got == [f"sel-{i}" for i in found], (selector, got)
    status(server.get("ConfigMap", labelSelector="a=b=c"), 400, "BadRequest")


def case_field_selectors(server):
    fill(server, "field", 2)
    assert names(server.get("ConfigMap", fieldSelector="metadata.name=field-1")) == ["field-1"]
    assert "field-1" not in names(server.get("ConfigMap", fieldSelector="metadata.name!=field-1"))
    status(server.get("ConfigMap", fieldSelector="data.a=1"), 400, "BadRequest", '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"')


def case_pages_are_of_one_moment(server):
    fill(server, "page", 5)
    first = server.get("ConfigMap", labelSelector="set=page", limit=2)
    assert names(first) == ["page-0", "page-1"], first
    token = first.json["metadata"]["continue"]
    second = server.get("ConfigMap", labelSelector="set=page", limit=2, **{"continue": token})
    assert names(second) == ["page-2", "page-3"], second
    assert second.json["metadata"]["resourceVersion"] == first.json["metadata"]["resourceVersion"]
    # Later changes appear only in a new list.
    server.delete("ConfigMap", "page-4")
    server.create("ConfigMap", config_map("page-5", labels={"set": "page"}))
    last = server.get("ConfigMap", labelSelector="set=page", limit=2, **{"continue": second.json["metadata"]["continue"]})
    assert names(last) == ["page-4"] and not last.json["metadata"].get("continue"), last


def case_a_wrong_continue_token_is_refused(server):
    answer = server.get("ConfigMap", limit=1, **{"continue": "nonsense"})
    status(answer, 400, "BadRequest", "continue key is not valid")


def case_a_list_of_one_moment(server):
    before = fill(server, "moment", 2)[-1]["metadata"]["resourceVersion"]
    server.delete("ConfigMap", "moment-0")
    fill(server, "later", 1)
    then = server.get("ConfigMap", labelSelector="set in (moment,later)", resourceVersion=before, resourceVersionMatch="Exact")
    assert names(then) == ["moment-0", "moment-1"] and then.json["metadata"]["resourceVersion"] == before, then
    now = lambda: server.get("ConfigMap", labelSelector="set in (moment,later)", resourceVersion=before, resourceVersionMatch="NotOlderThan")
    eventually(lambda: names(now()) == ["later-0", "moment-1"])  # any moment since `before` would do


def case_a_version_that_makes_no_sense(server):
    status(server.get("ConfigMap", resourceVersion="words"), 400, "BadRequest", 'invalid resource version: resourceVersion: Invalid value: "words"')
    for why, options in (
            ("resourceVersionMatch is forbidden unless resourceVersion is provided", {"resourceVersionMatch": "Exact"}),
            ('resourceVersionMatch "exact" is forbidden for resourceVersion "0"', {"resourceVersionMatch": "Exact", "resourceVersion": "0"}),
            ('Unsupported value: "Words"', {"resourceVersionMatch": "Words", "resourceVersion": "1"}),
            ("resourceVersionMatch is forbidden when continue is provided",
             {"resourceVersionMatch": "Exact", "resourceVersion": "1", "continue": "abc"})):
        answer = server.get("ConfigMap", **options)
        status(answer, 422, "Invalid", 'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: ', why)
        assert answer.json["details"]["causes"][0]["field"] == "resourceVersionMatch", answer


def case_a_version_from_the_future(server):
    made, = fill(server, "future", 1)
    for read in (server.get("ConfigMap", resourceVersion="999999999"),
                 server.get("ConfigMap", resourceVersion="999999999", resourceVersionMatch="Exact"),
                 server.get("ConfigMap", made["metadata"]["name"], resourceVersion="999999999")):
        status(read, 504, "Timeout", "Too large resource version: 999999999, current: ")
        assert read.json["details"]["causes"] == [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}], read
        assert read.json["details"]["retryAfterSeconds"] == 1, read


def until_mark(server, label, **query):
    """The events of a watch of the ConfigMaps with this label, up to one that is made once the watch has begun."""
    events = []
    for event in server.watch("ConfigMap", labelSelector=f"set={label}", **query):
        if not events:
            server.create("ConfigMap", config_map(f"mark-{label}", labels={"set": label}))
        if event["object"]["metadata"]["name"] == f"mark-{label}":
            break
        events.append(event)
    return events


def case_a_watch_begins_with_what_is_there(server):
    fill(server, "begin", 2)
    events = until_mark(server, "begin")
    assert [(e["type"], e["object"]["metadata"]["name"]) for e in events] == [("ADDED", "begin-0"), ("ADDED", "begin-1")], events


def case_a_watch_resumes_after_a_version(server):
    made = fill(server, "resume", 2)
    server.patch("ConfigMap", "resume-0", {"data": {"x": "1"}})
    server.delete("ConfigMap", "resume-1")
    events = until_mark(server, "resume", resourceVersion=made[-1]["metadata"]["resourceVersion"])
    assert [(e["type"], e["object"]["metadata"]["name"]) for e in events] == [("MODIFIED", "resume-0"), ("DELETED", "resume-1")], events
    versions = [int(e["object"]["metadata"]["resourceVersion"]) for e in events]
    assert versions == sorted(versions) and versions[0] > int(made[-1]["metadata"]["resourceVersion"]), versions


def case_to_a_watch_with_a_selector_objects_come_and_go(server):
    version = fill(server, "come", 1)[0]["metadata"]["resourceVersion"]
    server.patch("ConfigMap", "come-0", {"metadata": {"labels": {"set": "else"}}})
    server.patch("ConfigMap", "come-0", {"metadata": {"labels": {"set": "come"}}})
    events = until_mark(server, "come", resourceVersion=version)
    assert [e["type"] for e in events] == ["DELETED", "ADDED"], events


def case_initial_events_end_with_a_bookmark(server):
    fill(server, "initial", 1)
    watch = server.watch("ConfigMap", labelSelector="set=initial", sendInitialEvents="true", resourceVersionMatch="NotOlderThan",
                         allowWatchBookmarks="true")
    events = [next(watch), next(watch)]
    assert [e["type"] for e in events] == ["ADDED", "BOOKMARK"], events
    mark = events[1]["object"]
    assert mark["metadata"]["annotations"]["k8s.io/initial-events-end"] == "true" and mark["kind"] == "ConfigMap", mark


def forget(server):
    """Makes the server forget its history: the real one by compaction of etcd, the embedded one by 4,100 writes."""
    if "CONTRACT_FORGET" in os.environ:
        subprocess.run(os.environ["CONTRACT_FORGET"], shell=True, check=True, stdout=subprocess.DEVNULL)
        return
    fill(server, "forget", 1)
    for i in range(4100):
        server.patch("ConfigMap", "forget-0", {"data": {"n": str(i)}})


def suspended_training(name):
    replica = {"replicas": 1, "restartPolicy": "Never",
               "template": {"spec": {"containers": [{"name": "pytorch", "image": "localhost/busybox:1", "command": ["true"]}]}}}
    return {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": name, "labels": {"set": "old"}},
            "spec": {"runPolicy": {"suspend": True}, "pytorchReplicaSpecs": {"Master": replica}}}


def case_what_is_forgotten_is_expired(server):
    # A new kind. The real server keeps its history only from the creation of the kind on; for older history it must
    # ask etcd.
    for i in range(3):
        assert server.create("PyTorchJob", suspended_training(f"old-{i}")).status == 201
    first = server.get("PyTorchJob", labelSelector="set=old", limit=1)
    version, token = first.json["metadata"]["resourceVersion"], first.json["metadata"]["continue"]
    server.delete("PyTorchJob", "old-2")
    if "CONTRACT_FORGET" in os.environ:  # a token from before the server forgot
        token = base64.urlsafe_b64encode(json.dumps({"v": "meta.k8s.io/v1", "rv": 2, "start": "old-0\x00"}).encode()).decode().rstrip("=")
        version = "2"
    forget(server)
    answer = server.get("PyTorchJob", labelSelector="set=old", limit=1, **{"continue": token})
    status(answer, 410, "Expired", "The provided continue parameter is too old to display a consistent list result")
    # With the token in the response, the list continues with the current objects.
    rest = server.get("PyTorchJob", labelSelector="set=old", **{"continue": answer.json["metadata"]["continue"]})
    assert names(rest) == ["old-1"], rest
    event, = server.watch("PyTorchJob", resourceVersion=version)
    assert event["type"] == "ERROR" and event["object"]["kind"] == "Status", event
    assert event["object"]["code"] == 410 and event["object"]["reason"] == "Expired", event
    assert "too old resource version: " + version in event["object"]["message"], event


def case_bookmarks_tell_how_far_a_watch_has_come(server):
    version = fill(server, "bookmark", 1)[0]["metadata"]["resourceVersion"]
    # Both servers send a bookmark before a watch times out, if an object of the kind has changed that the watch does
    # not see.
    server.create("ConfigMap", config_map("unseen"))
    events = []

    def marked():  # a busy server may end a watch before it has sent one
        events[:] = server.watch("ConfigMap", labelSelector="none=none", resourceVersion=version, allowWatchBookmarks="true", timeoutSeconds=5)
        return events

    eventually(marked)
    assert {e["type"] for e in events} == {"BOOKMARK"}, events
    mark = events[-1]["object"]
    assert mark["kind"] == "ConfigMap" and mark["apiVersion"] == "v1" and int(mark["metadata"]["resourceVersion"]) > int(version), mark
    assert "annotations" not in mark["metadata"] and not mark["metadata"].get("name"), mark
    assert list(server.watch("ConfigMap", labelSelector="none=none", resourceVersion=version, timeoutSeconds=4)) == []


def case_a_watch_of_one_object(server):
    fill(server, "single", 2)
    events = []
    for event in server.watch("ConfigMap", fieldSelector="metadata.name=single-1"):
        if not events:
            server.delete("ConfigMap", "single-0")
            server.delete("ConfigMap", "single-1")
        events.append((event["type"], event["object"]["metadata"]["name"]))
        if event["type"] == "DELETED":
            break
    assert events == [("ADDED", "single-1"), ("DELETED", "single-1")], events


def case_a_watch_ends_when_its_time_is_over(server):
    list(server.watch("ConfigMap", labelSelector="none=none", timeoutSeconds=1))


def case_a_watch_of_tables_names_the_columns_once(server):
    fill(server, "table", 2)
    watch = server.watch("ConfigMap", {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}, labelSelector="set=table")
    tables = [next(watch)["object"], next(watch)["object"]]
    assert [t["kind"] for t in tables] == ["Table", "Table"], tables
    assert tables[0]["columnDefinitions"] and not tables[1].get("columnDefinitions"), tables


def case_a_continue_token_is_opaque_text(server):
    fill(server, "opaque", 2)
    token = server.get("ConfigMap", labelSelector="set=opaque", limit=1).json["metadata"]["continue"]
    assert base64.urlsafe_b64decode(token + "==="), token
