#include "local/api_fixture.h"

namespace deletion_test {

using namespace kml;
using namespace kml::local;

namespace {

const api::ResourceKind& kPod = *api::find_kind("v1", "Pod");

Json dependent(const std::string& name, const Json& owner) {
  Json object = pod(name);
  object["metadata"]["namespace"] = "default";
  object["metadata"]["ownerReferences"] = Json::array({{{"apiVersion", "batch/v1"},
                                                        {"kind", "Job"},
                                                        {"name", owner["metadata"]["name"]},
                                                        {"uid", owner["metadata"]["uid"]}}});
  return object;
}

}  // namespace

TEST_CASE_FIXTURE(ApiFixture,
                  "delete: a pod is marked with its grace period, and a second delete can only shorten it") {
  Json bound = pod("a");
  bound["spec"]["nodeName"] = "here";
  expect(201, "POST", kPods, bound);
  Json marked = expect(200, "DELETE", kPods + "/a");
  CHECK(int_at(marked, {"metadata", "deletionGracePeriodSeconds"}) == 30);
  CHECK(marked["metadata"].contains("deletionTimestamp"));
  CHECK(int_at(expect(200, "DELETE", kPods + "/a?gracePeriodSeconds=60"),
               {"metadata", "deletionGracePeriodSeconds"}) == 30);
  CHECK(int_at(expect(200, "DELETE", kPods + "/a", {{"gracePeriodSeconds", 5}}),
               {"metadata", "deletionGracePeriodSeconds"}) == 5);
  // A client's update cannot remove the mark.
  marked["metadata"].erase("deletionTimestamp");
  marked["metadata"].erase("resourceVersion");
  CHECK(expect(200, "PUT", kPods + "/a", marked)["metadata"].contains("deletionTimestamp"));
}

TEST_CASE_FIXTURE(ApiFixture, "delete: preconditions are checked") {
  Json made = expect(201, "POST", kMaps, config_map("a"));
  expect(409, "DELETE", kMaps + "/a", {{"preconditions", {{"uid", "other"}}}});
  expect(200, "DELETE", kMaps + "/a", {{"preconditions", {{"uid", made["metadata"]["uid"]}}}});
  expect(404, "DELETE", kMaps + "/a");
}

TEST_CASE_FIXTURE(ApiFixture,
                  "delete: a job's pods stay, without their owner, by default and with the policy Orphan") {
  Json owner = expect(201, "POST", kJobs, job("a"));
  store.create(kPod, dependent("a-1", owner));
  SUBCASE("by default") {
    expect(200, "DELETE", kJobs + "/a");
  }
  SUBCASE("Orphan") {
    expect(200, "DELETE", kJobs + "/a?propagationPolicy=Orphan");
  }
  expect(404, "GET", kJobs + "/a");
  CHECK(array_at(*store.get(kPod, "default", "a-1"), {"metadata", "ownerReferences"}).empty());
}

TEST_CASE_FIXTURE(
    ApiFixture,
    "delete: with background deletion, the owner is deleted at once, and its dependents still name it") {
  Json owner = expect(201, "POST", kJobs, job("a"));
  store.create(kPod, dependent("a-1", owner));
  expect(200, "DELETE", kJobs + "/a", {{"propagationPolicy", "Background"}});
  expect(404, "GET", kJobs + "/a");
  CHECK(array_at(*store.get(kPod, "default", "a-1"), {"metadata", "ownerReferences"}).size() == 1);
}

TEST_CASE_FIXTURE(ApiFixture, "delete: with foreground deletion, the owner waits for its finalizer") {
  expect(201, "POST", kJobs, job("a"));
  Json marked = expect(200, "DELETE", kJobs + "/a", {{"propagationPolicy", "Foreground"}});
  CHECK(marked["metadata"]["finalizers"] == Json::array({"foregroundDeletion"}));
  CHECK(marked["metadata"].contains("deletionTimestamp"));
  patch(200, kJobs + "/a", "application/merge-patch+json", {{"metadata", {{"finalizers", nullptr}}}});
  expect(404, "GET", kJobs + "/a");
  expect(422, "DELETE", kJobs + "/b?propagationPolicy=Sideways");
}

TEST_CASE_FIXTURE(ApiFixture, "delete: in a collection, the objects that match the selector are deleted") {
  expect(201, "POST", kMaps, config_map("a", {{"app", "x"}}));
  expect(201, "POST", kMaps, config_map("b"));
  expect(200, "DELETE", kMaps + "?labelSelector=app=x");
  expect(404, "GET", kMaps + "/a");
  expect(200, "GET", kMaps + "/b");
}

TEST_CASE_FIXTURE(ApiFixture, "delete: a namespace deletes all its objects, and is gone after its last pod") {
  expect(201, "POST", "/api/v1/namespaces", {{"metadata", {{"name", "lab"}}}});
  expect(200, "GET", "/api/v1/namespaces/lab/serviceaccounts/default");
  expect(201, "POST", "/api/v1/namespaces/lab/configmaps", config_map("a"));
  expect(201, "POST", "/api/v1/namespaces/lab/pods", pod("p"));
  CHECK(string_at(expect(200, "DELETE", "/api/v1/namespaces/lab"), {"status", "phase"}) == "Terminating");
  expect(404, "GET", "/api/v1/namespaces/lab/configmaps/a");
  expect(403, "POST", "/api/v1/namespaces/lab/configmaps", config_map("b"));
  CHECK(store.get(kPod, "lab", "p")->at("metadata").contains("deletionTimestamp"));
  expect(200, "GET", "/api/v1/namespaces/lab");
  store.remove(kPod, "lab", "p");
  expect(404, "GET", "/api/v1/namespaces/lab");
  expect(403, "DELETE", "/api/v1/namespaces/default");
}

}  // namespace deletion_test
