#include "local/api_fixture.h"

namespace api_test {

using namespace kml;
using namespace kml::local;

namespace {

std::vector<std::string> names(const Json& list) {
  std::vector<std::string> found;
  for (const Json& item : array_at(list, {"items"})) found.push_back(string_at(item, {"metadata", "name"}));
  return found;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE_FIXTURE(ApiFixture, "api: only the server's own token is accepted") {
  HttpRequest request;
  for (const char* given :
       {"", "secret", "Bearer ", "Bearer secre", "Bearer secret2", "bearer secret", "Bearer Secret"}) {
    request.authorization = given;
    CHECK(api.check_token(request).status == 401);
  }
  request.authorization = "Bearer secret";
  CHECK(api.check_token(request).status == 200);
}

TEST_CASE_FIXTURE(ApiFixture, "api: an object is created, read, replaced and deleted") {
  Json made = expect(201, "POST", kMaps, config_map("a"));
  CHECK(string_at(made, {"metadata", "namespace"}) == "default");
  CHECK(expect(200, "GET", kMaps + "/a") == made);
  CHECK(string_at(expect(409, "POST", kMaps, config_map("a")), {"reason"}) == "AlreadyExists");

  Json changed = made;
  changed["data"]["x"] = "y";
  CHECK(string_at(expect(200, "PUT", kMaps + "/a", changed), {"data", "x"}) == "y");
  CHECK(string_at(expect(409, "PUT", kMaps + "/a", changed), {"reason"}) == "Conflict");

  CHECK(string_at(expect(200, "DELETE", kMaps + "/a"), {"status"}) == "Success");
  Json gone = expect(404, "GET", kMaps + "/a");
  CHECK(string_at(gone, {"reason"}) == "NotFound");
  CHECK(string_at(gone, {"message"}) == "configmaps \"a\" not found");
}

TEST_CASE_FIXTURE(ApiFixture, "api: clients cannot set fields that the server owns") {
  Json object = pod("a");
  object["metadata"].update({{"uid", "x"},
                             {"creationTimestamp", "2000-01-01T00:00:00Z"},
                             {"deletionTimestamp", "2000-01-01T00:00:00Z"}});
  object["status"] = {{"phase", "Succeeded"}};
  Json made = expect(201, "POST", kPods, object);
  CHECK(string_at(made, {"metadata", "uid"}) != "x");
  CHECK(string_at(made, {"metadata", "creationTimestamp"}) != "2000-01-01T00:00:00Z");
  CHECK(!made["metadata"].contains("deletionTimestamp"));
  CHECK(string_at(made, {"status", "phase"}) == "Pending");
  made["status"]["phase"] = "Failed";
  CHECK(string_at(expect(200, "PUT", kPods + "/a", made), {"status", "phase"}) == "Pending");
  CHECK(string_at(expect(200, "PUT", kPods + "/a/status", made), {"status", "phase"}) == "Failed");
}

TEST_CASE_FIXTURE(ApiFixture, "api: generateName yields a random name, and dryRun stores nothing") {
  Json object = config_map("");
  object["metadata"] = {{"generateName", "run-"}};
  const std::string name = string_at(expect(201, "POST", kMaps, object), {"metadata", "name"});
  CHECK(name.starts_with("run-"));
  CHECK(name.size() == 9);
  const uint64_t before = store.revision();
  expect(201, "POST", kMaps + "?dryRun=All", config_map("b"));
  expect(404, "GET", kMaps + "/b");
  expect(200, "DELETE", kMaps + "/" + name + "?dryRun=All");
  expect(422, "POST", kMaps + "?dryRun=Some", config_map("b"));
  CHECK(store.revision() == before);
}

TEST_CASE_FIXTURE(ApiFixture, "api: a list is selected by labels, fields and namespace") {
  expect(201, "POST", kMaps, config_map("a", {{"app", "x"}}));
  expect(201, "POST", kMaps, config_map("b", {{"app", "y"}}));
  expect(201, "POST", "/api/v1/namespaces/kube-system/configmaps", config_map("c", {{"app", "x"}}));
  CHECK(names(expect(200, "GET", kMaps)) == Names{"a", "b"});
  CHECK(names(expect(200, "GET", "/api/v1/configmaps?labelSelector=app=x")) == Names{"a", "c"});
  CHECK(names(expect(200, "GET", kMaps + "?labelSelector=app!=x")) == Names{"b"});
  CHECK(names(expect(200, "GET", kMaps + "?fieldSelector=metadata.name=b")) == Names{"b"});
  CHECK(string_at(expect(400, "GET", kMaps + "?labelSelector=a in"), {"reason"}) == "BadRequest");
}

TEST_CASE_FIXTURE(ApiFixture, "api: the pages of a list add up to the whole list at one revision") {
  for (const char* name : {"a", "b", "c", "d", "e"}) expect(201, "POST", kMaps, config_map(name));
  Json first = expect(200, "GET", kMaps + "?limit=2");
  CHECK(names(first) == Names{"a", "b"});
  CHECK(int_at(first, {"metadata", "remainingItemCount"}) == 3);
  expect(201, "POST", kMaps, config_map("f"));
  Json second = expect(200, "GET", kMaps + "?limit=2&continue=" + string_at(first, {"metadata", "continue"}));
  CHECK(names(second) == Names{"c", "d"});
  CHECK(second["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]);
  expect(400, "GET", kMaps + "?limit=2&continue=bm9uc2Vuc2U=");
  expect(400, "GET", kMaps + "?limit=two");
}

TEST_CASE_FIXTURE(
    ApiFixture,
    "api: pages of any size show each selected object once, in the current and in an earlier state") {
  const std::string other = "/api/v1/namespaces/kube-system/configmaps";
  for (const char* name : {"a", "b", "c", "d"}) {
    expect(201, "POST", kMaps, config_map(name, {{"app", *name % 2 ? "odd" : "even"}}));
    expect(201, "POST", other, config_map(name, {{"app", "odd"}}));
  }
  for (const bool has_changed : {false, true})
    for (const std::string& list :
         {kMaps + "?", std::string("/api/v1/configmaps?"), other + "?labelSelector=app=odd&",
          kMaps + "?labelSelector=app=odd&", std::string("/api/v1/configmaps?labelSelector=app=odd&"),
          std::string("/api/v1/configmaps?labelSelector=app=none&")})
      for (int size = 1; size <= 9; ++size) {
        CAPTURE(list);
        CAPTURE(size);
        Names whole, paged;
        const Json all = expect(200, "GET", list);
        for (const Json& object : all["items"])
          whole.push_back(api::namespace_of(object) + api::name_of(object));
        std::string token;
        do {
          const Json page = expect(200, "GET", list + "limit=" + std::to_string(size) + "&continue=" + token);
          for (const Json& object : page["items"])
            paged.push_back(api::namespace_of(object) + api::name_of(object));
          token = string_at(page, {"metadata", "continue"});
          CHECK(page["metadata"].contains("remainingItemCount") ==
                (!token.empty() && list.find("labelSelector") == std::string::npos));
          if (has_changed)
            patch(200, kMaps + "/a", "application/merge-patch+json", {{"data", {{"size", token + list}}}});
        } while (!token.empty() && paged.size() <= whole.size());
        CHECK(paged == whole);
      }
}

TEST_CASE_FIXTURE(ApiFixture, "api: a merge patch sets, replaces and removes (RFC 7386)") {
  expect(201, "POST", kMaps, config_map("a", {{"x", "1"}, {"y", "2"}}));
  const std::string merge = "application/merge-patch+json";
  Json patched = patch(200, kMaps + "/a", merge,
                       {{"metadata", {{"labels", {{"x", nullptr}, {"z", "3"}}}}}, {"data", {{"k", "v"}}}});
  CHECK(patched["metadata"]["labels"] == Json{{"y", "2"}, {"z", "3"}});
  CHECK(string_at(patched, {"data", "k"}) == "v");
  patch(400, kMaps + "/a", merge, Json::array());
  patch(400, kMaps + "/a", merge, {{"metadata", {{"name", "b"}}}});
  patch(409, kMaps + "/a", merge, {{"metadata", {{"resourceVersion", "1"}}}});
}

TEST_CASE_FIXTURE(ApiFixture, "api: a JSON patch is applied completely or not at all (RFC 6902)") {
  expect(201, "POST", kMaps, config_map("a", {{"x", "1"}}));
  const std::string json = "application/json-patch+json";
  Json patched = patch(200, kMaps + "/a", json,
                       Json::array({{{"op", "test"}, {"path", "/metadata/labels/x"}, {"value", "1"}},
                                    {{"op", "add"}, {"path", "/data"}, {"value", {{"k", "v"}}}},
                                    {{"op", "copy"}, {"from", "/data/k"}, {"path", "/data/l"}},
                                    {{"op", "move"}, {"from", "/data/k"}, {"path", "/data/m"}},
                                    {{"op", "remove"}, {"path", "/metadata/labels/x"}}}));
  CHECK(patched["data"] == Json{{"l", "v"}, {"m", "v"}});
  CHECK(patched["metadata"]["labels"].empty());
  patch(422, kMaps + "/a", json,
        Json::array({{{"op", "add"}, {"path", "/data/n"}, {"value", "1"}},
                     {{"op", "test"}, {"path", "/data/l"}, {"value", "no"}}}));
  CHECK(!expect(200, "GET", kMaps + "/a")["data"].contains("n"));
  patch(422, kMaps + "/a", json, Json::array({{{"op", "remove"}, {"path", "/nothing"}}}));
  patch(422, kMaps + "/a", json, Json::array({{{"op", "explode"}, {"path", "/data"}}}));
  patch(422, kMaps + "/a", json, Json::array({"x"}));
  patch(400, kMaps + "/a", json, Json::object());
  patch(415, kMaps + "/a", "application/apply-patch+yaml", Json::object());
}

TEST_CASE_FIXTURE(ApiFixture,
                  "api: a JSON patch that doubles its document many times is rejected as too large") {
  Json big = config_map("a");
  big["data"]["k"] = std::string(1000, 'x');
  expect(201, "POST", kMaps, big);
  Json doubling = Json::array();
  for (int i = 0; i < 60; ++i)
    doubling.push_back({{"op", "copy"}, {"from", "/data"}, {"path", "/data/" + std::to_string(i)}});
  patch(413, kMaps + "/a", "application/json-patch+json", doubling);
}

TEST_CASE_FIXTURE(ApiFixture, "api: bodies that are not objects of the path are rejected") {
  CHECK(send("POST", kMaps, "{").status == 400);
  CHECK(send("POST", kMaps, "[]").status == 400);
  CHECK(send("POST", kMaps, "").status == 400);
  CHECK(send("POST", kMaps, "\xff\xfe").status == 400);
  CHECK(send("POST", kMaps, std::string(100'000, '[')).status == 400);
  CHECK(send("POST", kMaps, "{}", "application/cbor").status == 415);
  CHECK(send("POST", kMaps, R"({"metadata":[]})").status == 400);
  expect(400, "POST", kMaps, pod("a"));
  Json other = config_map("a");
  other["metadata"]["namespace"] = "kube-system";
  expect(400, "POST", kMaps, other);
  expect(404, "POST", "/api/v1/namespaces/nowhere/configmaps", config_map("a"));
}

TEST_CASE_FIXTURE(ApiFixture, "api: a request for an unsupported feature gets an error that says so") {
  for (const char* path :
       {"/", "/api/v2/pods", "/apis/apps/v1/statefulsets", "/api/v1/namespaces/default/pods/a/b/c"}) {
    HttpResponse response = send("GET", path);
    CHECK(response.status == 404);
    CHECK(response.body.find("embedded server") != std::string::npos);
  }
  expect(201, "POST", kPods, pod("a"));
  CHECK(string_at(expect(501, "GET", kPods + "/a/proxy"), {"message"}).find("pods/proxy") !=
        std::string::npos);
  expect(405, "POST", kPods + "/a", pod("a"));
  expect(405, "POST", "/api/v1/nodes", {{"metadata", {{"name", "b"}}}});
  expect(405, "PUT", kPods, pod("a"));
}

TEST_CASE_FIXTURE(ApiFixture, "api: discovery lists what is served") {
  Json core = expect(200, "GET", "/api/v1");
  std::vector<std::string> found;
  for (const Json& resource : core["resources"]) found.push_back(resource["name"]);
  CHECK(std::find(found.begin(), found.end(), "pods/log") != found.end());
  CHECK(expect(200, "GET", "/apis")["groups"].size() == 6);
  CHECK(expect(200, "GET", "/apis/metrics.k8s.io/v1beta1")["resources"][1]["kind"] == "PodMetrics");
  CHECK(string_at(expect(200, "GET", "/version"), {"gitVersion"}).starts_with("v1."));
  CHECK(send("GET", "/readyz").body == "ok");
}

TEST_CASE_FIXTURE(ApiFixture, "api: a path with an empty part differs from one without it") {
  expect(201, "POST", kMaps, config_map("a"));
  for (const char* path : {"/api/v1/namespaces//configmaps", "/api/v1//configmaps", "//api/v1/configmaps",
                           "/api/v1/namespaces/default//configmaps/a", "/api/v1/configmaps//"}) {
    expect(404, "GET", path);
    expect(404, "DELETE", path);
  }
  for (const char* name : {"..", ".", "%2e%2e", "../secrets/x"}) {
    expect(404, "GET", kMaps + "/" + name);
    expect(404, "DELETE", kMaps + "/" + name);
  }
  expect(200, "GET", kMaps + "/a");
}

}  // namespace api_test
