#include "kml/kube/objects/object.h"

#include <doctest/doctest.h>

#include "kml/kube/objects/access_review.h"
#include "kml/kube/objects/pod.h"

namespace object_test {

using namespace kml;
using namespace kml::api;

TEST_CASE("object: its controller is the owner marked as such, not the first owner") {
  const Json pod = Json::parse(R"({"metadata": {"ownerReferences": [
    {"kind": "Sweep", "name": "lr"}, {"kind": "Job", "name": "bert", "controller": true}]}})");
  REQUIRE(controller_of(pod));
  CHECK(kind_name(*controller_of(pod)) == "Job");
  CHECK_FALSE(controller_of(Json::object()));
}

TEST_CASE("object: missing fields are read as empty") {
  CHECK(name_of(nullptr).empty());
  CHECK(labels_of({{"metadata", nullptr}}).empty());
  CHECK_FALSE(created_at(Json::object()));
  CHECK_FALSE(created_at({{"metadata", {{"creationTimestamp", "yesterday"}}}}));
  CHECK(phase_of(Json::object()) == "Pending");
}

TEST_CASE("condition: a condition is neither true nor false if it is missing, or if its status is Unknown") {
  const Json node = Json::parse(R"({"status": {"conditions": [
    {"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown"},
    {"type": "DiskPressure", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}})");
  const Condition ready = condition(node, "Ready"), pressure = condition(node, "DiskPressure"),
                  missing = condition(node, "MemoryPressure");
  CHECK(ready);
  CHECK_FALSE(ready.is_true());
  CHECK_FALSE(ready.is_false());
  CHECK(ready.reason() == "NodeStatusUnknown");
  CHECK(pressure.is_true());
  CHECK(pressure.since() == parse_rfc3339("2026-01-01T00:00:00Z"));
  CHECK_FALSE(missing);
  CHECK_FALSE(missing.is_true());
  CHECK_FALSE(missing.is_false());
  CHECK(missing.message().empty());
  CHECK_FALSE(missing.since());
}

TEST_CASE("job: the training operator's kinds are suspended through their runPolicy") {
  CHECK(is_suspended({{"spec", {{"suspend", true}}}}));
  CHECK(is_suspended({{"spec", {{"runPolicy", {{"suspend", true}}}}}}));
  CHECK_FALSE(is_suspended({{"spec", {{"suspend", false}, {"runPolicy", {{"suspend", false}}}}}}));
}

TEST_CASE("access review: asks about one verb on one kind in one namespace") {
  CHECK(access_review("create", "batch", "jobs", "lab") == Json::parse(R"({
    "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
    "spec": {"resourceAttributes": {"verb": "create", "group": "batch", "resource": "jobs", "namespace": "lab"}}})"));
}

}  // namespace object_test
