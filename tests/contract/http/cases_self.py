"""Who am I, and what may I do."""
from cases_objects import status

REVIEWS = "/apis/authorization.k8s.io/v1/"


def case_who_am_i(server):
    answer = server.ask("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"})
    assert answer.status == 201, answer
    user = answer.json["status"]["userInfo"]
    assert user["username"] and "system:authenticated" in user["groups"], answer


def case_what_may_i_do(server):
    spec = {"resourceAttributes": {"namespace": server.namespace, "verb": "create", "group": "batch", "resource": "jobs"}}
    answer = server.ask("POST", REVIEWS + "selfsubjectaccessreviews", {"spec": spec})
    assert answer.status == 201 and answer.json["status"]["allowed"] is True, answer
    assert answer.json["kind"] == "SelfSubjectAccessReview" and answer.json["spec"] == spec, answer
    field = "spec" if server.minor >= 37 else "spec.resourceAttributes"
    status(server.ask("POST", REVIEWS + "selfsubjectaccessreviews", {"spec": {}}), 422, "Invalid",
           f" {field}: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified")
    answer = server.ask("POST", REVIEWS + "selfsubjectrulesreviews", {"spec": {"namespace": server.namespace}})
    assert answer.status == 201 and any("*" in rule["verbs"] for rule in answer.json["status"]["resourceRules"]), answer
