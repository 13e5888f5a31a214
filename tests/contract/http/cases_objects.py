"""Create, read, change and remove objects."""
import json

from objects import condition, config_map, job, meta


def status(answer, code, reason, *parts):
    assert answer.status == code, answer
    assert answer.json["kind"] == "Status" and answer.json["status"] == "Failure", answer
    assert answer.json["code"] == code and answer.json.get("reason") == reason, answer
    for part in parts:
        assert part in answer.json["message"], answer


def case_create_sets_what_the_server_owns(server):
    answer = server.create("ConfigMap", {"metadata": meta("made", uid="mine", generation=7), "data": {"a": "1"}})
    assert answer.status == 201, answer
    made = answer.json
    assert made["kind"] == "ConfigMap" and made["apiVersion"] == "v1"
    assert made["metadata"]["namespace"] == server.namespace
    assert made["metadata"]["uid"] != "mine" and made["metadata"]["resourceVersion"].isdigit()
    assert made["metadata"]["creationTimestamp"].endswith("Z")
    again = server.get("ConfigMap", "made").json
    assert again["metadata"]["uid"] == made["metadata"]["uid"] and again["data"] == {"a": "1"}


def case_create_of_a_taken_name_is_a_conflict(server):
    server.create("ConfigMap", config_map("taken"))
    answer = server.create("ConfigMap", config_map("taken"))
    status(answer, 409, "AlreadyExists", 'configmaps "taken" already exists')
    assert answer.json["details"]["name"] == "taken" and answer.json["details"]["kind"] == "configmaps"
    answer = server.create("ConfigMap", config_map("taken"), dryRun="All")
    status(answer, 409, "AlreadyExists")


def case_generate_name_draws_five_characters(server):
    body = {"metadata": {"generateName": "drawn-"}}
    names = {server.create("ConfigMap", body).json["metadata"]["name"] for _ in range(5)}
    assert len(names) == 5 and all(name.startswith("drawn-") and len(name) == 11 for name in names), names


def case_an_object_without_a_name_is_invalid(server):
    status(server.create("ConfigMap", {"data": {}}), 422, "Invalid", "name or generateName is required")


def case_a_wrong_name_is_invalid(server):
    answer = server.create("ConfigMap", config_map("Not_A_Name"))
    status(answer, 422, "Invalid", 'ConfigMap "Not_A_Name" is invalid: metadata.name: Invalid value: "Not_A_Name"')
    cause = answer.json["details"]["causes"][0]
    assert cause["reason"] == "FieldValueInvalid" and cause["field"] == "metadata.name", answer
    assert answer.json["details"]["kind"] == "ConfigMap" and answer.json["details"]["name"] == "Not_A_Name", answer


def case_the_path_and_the_object_agree(server):
    other = config_map("x", namespace="elsewhere")
    status(server.create("ConfigMap", other), 400, "BadRequest",
           "the namespace of the provided object does not match the namespace sent on the request")
    status(server.create("ConfigMap", {**config_map("x"), "kind": "Secret"}), 400, "BadRequest")
    status(server.create("ConfigMap", {**config_map("x"), "apiVersion": "v2"}), 400, "BadRequest")
    server.create("ConfigMap", config_map("agree"))
    answer = server.replace("ConfigMap", "agree", config_map("disagree"))
    status(answer, 400, "BadRequest", "the name of the object (disagree) does not match the name on the URL (agree)")


def case_resource_version_must_not_be_set_on_create(server):
    body = config_map("x", resourceVersion="5")
    answer = server.create("ConfigMap", body)
    assert answer.status == 500 and answer.json["message"] == "resourceVersion should not be set on objects to be created", answer


def case_strict_validation_names_unknown_and_duplicate_fields(server):
    body = job("strict")
    body["spec"]["paralelism"] = 1
    answer = server.create("Job", body, fieldValidation="Strict")
    status(answer, 400, "BadRequest", 'strict decoding error: unknown field "spec.paralelism"')
    assert server.get("Job", "strict").status == 404
    text = json.dumps(job("strict")).replace('"backoffLimit": 0', '"backoffLimit": 0, "backoffLimit": 1')
    answer = server.create("Job", text, fieldValidation="Strict")
    status(answer, 400, "BadRequest", 'strict decoding error: duplicate field "spec.backoffLimit"')


def case_validation_warns_unless_told_otherwise(server):
    body = {**config_map("warned"), "dta": {}}
    answer = server.create("ConfigMap", body, dryRun="All")
    assert answer.status == 201 and answer.headers["Warning"] == '299 - "unknown field \\"dta\\""', answer.headers
    answer = server.create("ConfigMap", body, dryRun="All", fieldValidation="Ignore")
    assert answer.status == 201 and answer.headers["Warning"] is None


def case_a_field_of_the_wrong_type_is_refused(server):
    body = job("typed", parallelism="two")
    status(server.create("Job", body), 400, "BadRequest", "cannot be handled as a Job", "parallelism")
    status(server.create("Job", '{"metadata":'), 400, "BadRequest")
    status(server.create("Job", "[]"), 400, "BadRequest")


def case_a_dry_run_answers_and_keeps_nothing(server):
    answer = server.create("Job", job("dry"), dryRun="All")
    assert answer.status == 201 and answer.json["spec"]["completions"] == 1, answer
    assert answer.json["metadata"]["uid"], answer
    status(server.get("Job", "dry"), 404, "NotFound", 'jobs.batch "dry" not found')
    server.create("ConfigMap", config_map("dry-change", {"a": "1"}))
    assert server.patch("ConfigMap", "dry-change", {"data": {"a": "2"}}, dryRun="All").json["data"] == {"a": "2"}
    assert server.delete("ConfigMap", "dry-change", dryRun="All").status == 200
    assert server.get("ConfigMap", "dry-change").json["data"] == {"a": "1"}
    assert server.create("Job", job("dry"), dryRun="Some").status in (400, 422)


def case_what_is_not_there_is_not_found(server):
    answer = server.get("ConfigMap", "nothing")
    status(answer, 404, "NotFound", 'configmaps "nothing" not found')
    assert answer.json["details"]["name"] == "nothing" and answer.json["details"]["kind"] == "configmaps", answer
    status(server.delete("ConfigMap", "nothing"), 404, "NotFound")
    status(server.patch("ConfigMap", "nothing", {}), 404, "NotFound")
    answer = server.get("Job", "nothing")
    assert answer.json["details"] == {"name": "nothing", "group": "batch", "kind": "jobs"}, answer
    assert server.ask("GET", "/apis/nothing.example.com/v1/things").status == 404
    assert server.ask("GET", "/nothing").status == 404


def case_replace_needs_the_last_version(server):
    made = server.create("ConfigMap", config_map("replaced", {"a": "1"})).json
    made["data"] = {"a": "2"}
    answer = server.replace("ConfigMap", "replaced", made)
    assert answer.status == 200 and answer.json["metadata"]["resourceVersion"] != made["metadata"]["resourceVersion"]
    made["data"] = {"a": "3"}
    status(server.replace("ConfigMap", "replaced", made), 409, "Conflict",
           'Operation cannot be fulfilled on configmaps "replaced": the object has been modified; '
           "please apply your changes to the latest version and try again")
    del made["metadata"]["resourceVersion"]
    assert server.replace("ConfigMap", "replaced", made).json["data"] == {"a": "3"}


def case_a_change_of_nothing_changes_no_version(server):
    made = server.create("ConfigMap", config_map("same", {"a": "1"})).json
    again = server.patch("ConfigMap", "same", {"data": {"a": "1"}}).json
    assert again["metadata"]["resourceVersion"] == made["metadata"]["resourceVersion"]


def case_patches(server):
    server.create("ConfigMap", config_map("patched", {"a": "1", "b": "2"}))
    assert server.patch("ConfigMap", "patched", {"data": {"a": None, "c": "3"}}).json["data"] == {"b": "2", "c": "3"}
    operations = [{"op": "test", "path": "/data/b", "value": "2"}, {"op": "replace", "path": "/data/b", "value": "4"},
                  {"op": "add", "path": "/metadata/labels", "value": {"x": "y"}}, {"op": "remove", "path": "/data/c"}]
    answer = server.patch("ConfigMap", "patched", operations, "json")
    assert answer.json["data"] == {"b": "4"} and answer.json["metadata"]["labels"] == {"x": "y"}, answer
    assert server.patch("ConfigMap", "patched", {"data": {"d": "5"}}, "strategic-merge").json["data"] == {"b": "4", "d": "5"}
    status(server.patch("ConfigMap", "patched", [{"op": "test", "path": "/data/b", "value": "9"}], "json"), 422, "Invalid")
    status(server.patch("ConfigMap", "patched", [{"op": "remove", "path": "/data/none"}], "json"), 422, "Invalid")
    assert server.patch("ConfigMap", "patched", {}, "json").status == 400
    answer = server.ask("PATCH", server.path("ConfigMap", "patched"), {}, {"Content-Type": "application/json"})
    status(answer, 415, "UnsupportedMediaType")
    answer = server.patch("ConfigMap", "patched", {"metadata": {"resourceVersion": "1"}, "data": {"z": "1"}})
    status(answer, 409, "Conflict")


def case_a_custom_resource_takes_no_strategic_patch(server):
    answer = server.patch("PyTorchJob", "nothing", {}, "strategic-merge")
    assert answer.status in (404, 415), answer


def case_strategic_patch_merges_by_key(server):
    body = job("strategic", suspend=True)
    body["spec"]["template"]["spec"]["tolerations"] = [{"key": "a", "operator": "Exists"}]
    body["spec"]["template"]["spec"]["nodeSelector"] = {"a": "1", "b": "2"}
    server.create("Job", body)
    patch = {"spec": {"template": {"spec": {"tolerations": [{"key": "b", "operator": "Exists"}],
                                            "nodeSelector": {"b": None, "c": "3"}}}}}
    spec = server.patch("Job", "strategic", patch, "strategic-merge").json["spec"]["template"]["spec"]
    assert spec["tolerations"] == [{"key": "b", "operator": "Exists"}], spec
    assert spec["nodeSelector"] == {"a": "1", "c": "3"}, spec
    replace = {"spec": {"template": {"spec": {"nodeSelector": {"$patch": "replace", "d": "4"}}}}}
    spec = server.patch("Job", "strategic", replace, "strategic-merge").json["spec"]["template"]["spec"]
    assert spec["nodeSelector"] == {"d": "4"}, spec
    server.delete("Job", "strategic")


def case_generation_counts_changes_of_the_spec(server):
    made = server.create("Job", job("counted", suspend=True)).json
    assert made["metadata"]["generation"] == 1, made
    assert server.patch("Job", "counted", {"metadata": {"labels": {"a": "b"}}}).json["metadata"]["generation"] == 1
    assert server.patch("Job", "counted", {"spec": {"parallelism": 2}}).json["metadata"]["generation"] == 2
    server.delete("Job", "counted")


def case_status_is_set_apart(server):
    server.create("Job", job("apart", suspend=True))
    answer = server.patch("Job", "apart", {"status": {"succeeded": 5}})
    assert not answer.json.get("status", {}).get("succeeded"), answer
    answer = server.patch("Job", "apart", {"spec": {"parallelism": 9}, "status": {"ready": 0}}, subresource="status")
    assert answer.status == 200 and answer.json["spec"]["parallelism"] == 1, answer
    assert server.get("Job", "apart", "status").json["metadata"]["name"] == "apart"
    server.delete("Job", "apart")


def case_immutable_fields(server):
    server.create("Job", job("fixed", suspend=True))
    answer = server.patch("Job", "fixed", {"spec": {"completions": 4}})
    status(answer, 422, "Invalid", "spec.completions: Invalid value: 4: field is immutable")
    assert answer.json["details"]["causes"][0]["field"] == "spec.completions", answer
    server.delete("Job", "fixed")
    server.create("ConfigMap", {**config_map("frozen", {"a": "1"}), "immutable": True})
    status(server.patch("ConfigMap", "frozen", {"data": {"a": "2"}}), 422, "Invalid", "data: Forbidden: field is immutable when `immutable` is set")


def case_a_suspended_job_takes_other_resources_and_places(server):
    """A job that has no pods: since 1.36 other resources, and other places after a run too; before, places before its first run."""
    resources = {"containers": [{"name": "main", "resources": {"limits": {"cpu": "200m"}}}]}
    place = {"nodeSelector": {"contract": "here", "kubernetes.io/os": "linux"}}

    def change(name, fields):
        return server.patch("Job", name, {"spec": {"template": {"spec": fields}}}, "strategic-merge")

    def takes(answer):
        if server.minor >= 36:
            assert answer.status == 200, answer
        else:
            status(answer, 422, "Invalid", "spec.template: Invalid value")

    server.create("Job", job("waits", suspend=True))
    takes(change("waits", resources))
    assert change("waits", place).status == 200
    status(change("waits", {"containers": [{"name": "main", "image": "other"}]}), 422, "Invalid", "field is immutable")
    server.delete("Job", "waits")

    server.create("Job", job("stopped", "sleep 1000"))
    server.until("Job", "stopped", lambda job: job["status"].get("ready"))
    status(change("stopped", resources), 422, "Invalid", "spec.template: Invalid value")
    server.patch("Job", "stopped", {"spec": {"suspend": True}})
    server.until("Job", "stopped", lambda job: condition(job, "Suspended") and not job["status"].get("active"))
    takes(change("stopped", resources))
    takes(change("stopped", place))
    server.delete("Job", "stopped")


def case_delete_answers_what_was_deleted(server):
    made = server.create("ConfigMap", config_map("gone")).json
    answer = server.delete("ConfigMap", "gone", {"preconditions": {"uid": "another"}})
    status(answer, 409, "Conflict", 'Operation cannot be fulfilled on ConfigMap "gone": the UID in the precondition (another) does '
           f"not match the UID in record ({made['metadata']['uid']}). The object might have been deleted and then recreated")
    answer = server.delete("ConfigMap", "gone", {"preconditions": {"uid": made["metadata"]["uid"]}})
    assert answer.status == 200 and answer.json["status"] == "Success", answer
    assert answer.json["details"] == {"name": "gone", "kind": "configmaps", "uid": made["metadata"]["uid"]}, answer
    status(server.get("ConfigMap", "gone"), 404, "NotFound")


def case_delete_of_a_collection_takes_selectors(server):
    for name, label in (("del-1", "x"), ("del-2", "x"), ("del-3", "y")):
        server.create("ConfigMap", config_map(name, labels={"del": label}))
    assert server.delete("ConfigMap", labelSelector="del=x").status == 200
    names = [m["metadata"]["name"] for m in server.get("ConfigMap", labelSelector="del").json["items"]]
    assert names == ["del-3"], names


def case_a_finalizer_keeps_an_object(server):
    server.create("ConfigMap", config_map("kept", finalizers=["example.com/mine"]))
    answer = server.delete("ConfigMap", "kept")
    assert answer.status == 200 and answer.json["metadata"]["deletionTimestamp"], answer
    assert server.get("ConfigMap", "kept").status == 200
    assert server.patch("ConfigMap", "kept", {"metadata": {"finalizers": None}}).status == 200
    assert server.get("ConfigMap", "kept").status == 404


def case_secrets_take_plain_text(server):
    body = {"metadata": meta("secret"), "stringData": {"a": "b"}}
    made = server.create("Secret", body).json
    assert made["data"] == {"a": "Yg=="} and made["type"] == "Opaque" and "stringData" not in made, made


def case_tables_for_get(server):
    table = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}
    server.create("ConfigMap", config_map("row", {"a": "1"}, labels={"table": "yes"}))
    answer = server.get("ConfigMap", headers=table, labelSelector="table=yes").json
    assert answer["kind"] == "Table" and answer["apiVersion"] == "meta.k8s.io/v1", answer
    assert [c["name"] for c in answer["columnDefinitions"]] == ["Name", "Data", "Age"], answer
    row = answer["rows"][0]
    assert row["cells"][:2] == ["row", 1] and row["object"]["kind"] == "PartialObjectMetadata", row
    answer = server.get("ConfigMap", "row", headers=table, includeObject="None").json
    assert "object" not in answer["rows"][0] or answer["rows"][0]["object"] is None, answer
    part = {"Accept": "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"}
    answer = server.get("ConfigMap", "row", headers=part).json
    assert answer["kind"] == "PartialObjectMetadata" and "data" not in answer, answer
    assert server.get("ConfigMap", "row", headers={"Accept": "text/html"}).status == 406
