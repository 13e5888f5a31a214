#include "kml/kube/list/brief_list.h"
#include "kml/kube/objects/labels.h"

#include <doctest/doctest.h>

#include "kube/list/json_list.h"
#include "kube/list/protobuf_list.h"
#include "support/fake_transport.h"

namespace brief_list_test {

using namespace kml;
using namespace kml::kube;

namespace {

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
std::string part(int number, const std::string& value) {
  return varint(static_cast<uint64_t>(number) << 3 | 2) + varint(value.size()) + value;
}
std::string part(int number, uint64_t value) {
  return varint(static_cast<uint64_t>(number) << 3) + varint(value);
}

/// The bytes that an API server sends for a list.
std::string list_of(const std::vector<std::string>& items) {
  std::string list = part(1, part(2, std::string("4711")));
  for (const std::string& item : items) list += part(2, item);
  return std::string("k8s\0", 4) +
         part(1, part(1, std::string("batch/v1")) + part(2, std::string("JobList"))) + part(2, list) +
         part(3, std::string()) + part(4, std::string());
}

std::string job_bytes(const std::string& name) {
  const std::string metadata = part(1, name) + part(2, std::string()) + part(3, std::string("lab")) +
                               part(8, part(1, 1767225600U) + part(2, 0U)) +
                               part(11, part(1, std::string("team")) + part(2, std::string("vision"))) +
                               part(17, std::string(1000, 'm'));
  const std::string limits =
      part(1, part(1, std::string("nvidia.com/gpu")) + part(2, part(1, std::string("2"))));
  const std::string init = part(1, std::string("cache")) + part(8, limits) + part(24, std::string("Always"));
  const std::string pod = part(2, part(1, std::string("main")) + part(8, limits)) +
                          part(20, part(1, std::string("code"))) + part(20, init);
  const auto annotation = [](std::string_view key) {
    return part(12, part(1, std::string(key)) + part(2, std::string("1-3")));
  };
  const std::string about = part(1, annotation(api::kTasks) + annotation("other"));
  const std::string spec = part(1, 0U) + part(6, about + part(2, pod)) + part(7, 0U) +
                           part(9, std::string("Indexed")) + part(10, 1U) + part(12, 2U);
  const std::string status = part(1, part(1, std::string("Suspended")) + part(2, std::string("True"))) +
                             part(4, 0U) + part(11, std::string("0,2"));
  return part(1, metadata) + part(2, spec) + part(3, status);
}

const Json kJob = Json::parse(R"({
  "apiVersion": "batch/v1", "kind": "Job",
  "metadata": {"name": "bert", "namespace": "lab", "creationTimestamp": "2026-01-01T00:00:00Z",
               "labels": {"team": "vision"}},
  "spec": {"parallelism": 0, "suspend": true, "completionMode": "Indexed",
           "backoffLimit": 0, "backoffLimitPerIndex": 2,
           "template": {"metadata": {"annotations": {"kml.dev/tasks": "1-3"}}, "spec": {
             "containers": [{"resources": {"limits": {"nvidia.com/gpu": "2"}}}],
             "initContainers": [{"resources": {"limits": {"nvidia.com/gpu": "2"}}, "restartPolicy": "Always"}]}}},
  "status": {"conditions": [{"type": "Suspended", "status": "True"}], "failedIndexes": "0,2"}})");
constexpr const char* kJobs = "/apis/batch/v1/namespaces/lab/jobs";
const std::multimap<std::string, std::string> kProtobuf = {
    {"content-type", "application/vnd.kubernetes.protobuf"}};

BriefList list(FakeTransport& transport) {
  Client client(transport);
  const std::vector<BriefQuery> queries = {{api::find_kind("batch/v1", "Job"), "lab"}};
  return list_briefly(client, queries)[0];
}

}  // namespace

TEST_CASE("brief list: protobuf and JSON give the same fields, however the bytes are split") {
  FakeTransport transport;
  SUBCASE("protobuf") {
    const std::string bytes = list_of({job_bytes("bert"), job_bytes("bert")});
    std::vector<std::string> pieces;
    SUBCASE("whole") {
      pieces = {bytes};
    }
    SUBCASE("byte by byte") {
      for (char c : bytes) pieces.emplace_back(1, c);
    }
    transport.stub("GET", kJobs, {.pieces = pieces, .headers = kProtobuf});
  }
  SUBCASE("JSON, from a server that offers nothing else") {
    Json item = kJob;
    item["metadata"]["managedFields"] = Json::array({"m"});
    item["spec"]["template"]["spec"]["initContainers"].push_back({{"name", "code"}});
    item["spec"]["template"]["spec"]["containers"][0]["command"] = {"sh", "-c", R"(echo "}]"; exit \)"};
    item["status"]["active"] = 0;
    item["status"]["uncountedTerminatedPods"] = Json::object();
    item.erase("kind");
    SUBCASE("whole") {
      transport.answer("GET", kJobs, {{"items", {item, item}}});
    }
    SUBCASE("byte by byte") {
      std::vector<std::string> pieces;
      for (char c :
           Json{{"kind", "JobList"}, {"items", {item, item}}, {"metadata", {{"items", {1, "]"}}}}}.dump(1))
        pieces.emplace_back(1, c);
      transport.stub("GET", kJobs, {.pieces = pieces});
    }
    SUBCASE("in pages") {
      transport.stub("GET", kJobs, {.pieces = {R"({"items": [{"metadata")"}});
      transport.answer("GET", std::string(kJobs) + "?limit=500", {{"items", {item, item}}});
    }
  }
  BriefList found = list(transport);
  CHECK_FALSE(found.error);
  REQUIRE(found.items.size() == 2);
  CHECK(found.items[0] == kJob);
  CHECK(found.items[1] == kJob);
  CHECK(transport.requests[0].headers[0].second == "application/vnd.kubernetes.protobuf, application/json");
}

TEST_CASE("brief list: the pods of a queue have UIDs, because events identify a preemptor by its UID") {
  FakeTransport transport;
  const std::string pod = part(1, part(1, std::string("bert-x7k2p")) + part(5, std::string("3e42")));
  transport.stub("GET", "/api/v1/pods", {.pieces = {list_of({pod})}, .headers = kProtobuf});
  Client client(transport);
  const BriefQuery query{api::find_kind("v1", "Pod"), "", "", Detail::queue};
  const auto lists = list_briefly(client, {&query, 1});
  REQUIRE(lists[0].items.size() == 1);
  CHECK(string_at(lists[0].items[0], {"metadata", "uid"}) == "3e42");
}

TEST_CASE("brief list: a queue's pods have all fields of their requests that kml uses") {
  FakeTransport transport;
  const auto amounts = [](int number, const std::string& cpus) {
    return part(number, part(1, std::string("cpu")) + part(2, part(1, cpus)));
  };
  const std::string sidecar =
      part(1, std::string("logger")) + part(8, amounts(2, "2")) + part(24, std::string("Always"));
  const std::string spec =
      part(2, part(8, amounts(2, "1"))) + part(20, sidecar) + amounts(32, "250m") + part(40, amounts(2, "4"));
  transport.stub("GET", "/api/v1/pods", {.pieces = {list_of({part(2, spec)})}, .headers = kProtobuf});
  Client client(transport);
  const BriefQuery query{api::find_kind("v1", "Pod"), "", "", Detail::queue};
  const auto lists = list_briefly(client, {&query, 1});
  REQUIRE(lists[0].items.size() == 1);
  CHECK(object_at(lists[0].items[0], {"spec"}) == Json::parse(R"({
    "containers": [{"resources": {"requests": {"cpu": "1"}}}],
    "initContainers": [{"resources": {"requests": {"cpu": "2"}}, "restartPolicy": "Always"}],
    "overhead": {"cpu": "250m"}, "resources": {"requests": {"cpu": "4"}}})"));
}

TEST_CASE("brief list: a list that is cut or damaged is requested again, in pages of JSON") {
  FakeTransport transport;
  const std::string bytes = list_of({job_bytes("bert")});
  SUBCASE("cut") {
    transport.stub("GET", kJobs, {.pieces = {bytes.substr(0, bytes.size() / 2)}, .headers = kProtobuf});
  }
  SUBCASE("the connection breaks") {
    FakeTransport::Stub stub = FakeTransport::break_connection({bytes.substr(0, 50)});
    stub.headers = kProtobuf;
    transport.stub("GET", kJobs, stub);
  }
  SUBCASE("not protobuf") {
    transport.stub("GET", kJobs, {.pieces = {"k8s?nonsense"}, .headers = kProtobuf});
  }
  SUBCASE("not JSON") {
    transport.stub("GET", kJobs, {.pieces = {"<html>"}});
  }
  SUBCASE("busy") {
    transport.stub("GET", kJobs, {.status = 429});
  }
  transport.answer("GET", std::string(kJobs) + "?limit=500", {{"items", {kJob}}});
  CHECK(list(transport).items.size() == 1);
}

TEST_CASE("brief list: kml gives up a list that sends nothing for half a minute") {
  FakeTransport transport;
  const http::SteadyTime begin = transport.now();
  transport.stub("GET", kJobs, {.pieces = {"{"}, .stays_open = true});
  transport.answer("GET", std::string(kJobs) + "?limit=500", {{"items", {kJob}}});
  CHECK(list(transport).items.size() == 1);
  CHECK(transport.now() - begin < std::chrono::seconds(40));
}

TEST_CASE("brief list: a rejection is the error of that list only") {
  FakeTransport transport;
  Client client(transport);
  transport.answer("GET", kJobs,
                   {{"kind", "Status"}, {"code", 403}, {"reason", "Forbidden"}, {"message", "you may not"}},
                   403);
  transport.stub("GET", "/api/v1/namespaces/lab/pods", {.pieces = {list_of({})}, .headers = kProtobuf});
  const std::vector<BriefQuery> queries = {{api::find_kind("batch/v1", "Job"), "lab"},
                                           {api::find_kind("v1", "Pod"), "lab"}};
  auto lists = list_briefly(client, queries);
  REQUIRE(lists[0].error);
  CHECK(lists[0].error->http_status == 403);
  CHECK_FALSE(lists[1].error);
  CHECK(lists[1].items.empty());
}

TEST_CASE("brief list: kml reads an error in protobuf as well as one in JSON") {
  FakeTransport transport;
  const std::string status = part(1, std::string()) + part(2, std::string("Failure")) +
                             part(3, std::string("you may not")) + part(4, std::string("Forbidden")) +
                             part(5, part(1, std::string()) + part(3, std::string("jobs"))) + part(6, 403U);
  const std::string body = std::string("k8s\0", 4) +
                           part(1, part(1, std::string("v1")) + part(2, std::string("Status"))) +
                           part(2, status) + part(3, std::string()) + part(4, std::string());
  SUBCASE("whole") {
    transport.stub("GET", kJobs, {.status = 403, .pieces = {body}, .headers = kProtobuf});
    const BriefList jobs = list(transport);
    REQUIRE(jobs.error);
    CHECK(jobs.error->http_status == 403);
    CHECK(jobs.error->why == "you may not");
  }
  SUBCASE("damaged") {
    transport.stub("GET", kJobs, {.status = 403, .pieces = {body.substr(0, 20)}, .headers = kProtobuf});
    const BriefList jobs = list(transport);
    REQUIRE(jobs.error);
    CHECK(jobs.error->http_status == 403);
    CHECK(jobs.error->why.find('\0') == std::string::npos);
  }
}

TEST_CASE("JSON list: only the document's own items are returned, not those of inner lists") {
  struct Case {
    const char* text;
    std::vector<std::string> items;
    const char* rest;
  };
  const std::vector<Case> cases = {
      {R"({"items":[{"a":1},{"b":[{}]}],"kind":"L"})",
       {R"({"a":1})", R"({"b":[{}]})"},
       R"({"items":[],"kind":"L"})"},
      {R"({"items": [ {} , {} ] })", {"{}", "{}"}, R"({"items": [] })"},
      {R"({"items":null})", {}, R"({"items":null})"},
      {R"({"items":["]",7,{"a":"]}"}]})", {R"({"a":"]}"})"}, R"({"items":[]})"},
      {R"({"metadata":{"items":[{}]},"items":[{}]})", {"{}"}, R"({"metadata":{"items":[{}]},"items":[]})"},
      {R"({"it\"ems":[{}]})", {}, R"({"it\"ems":[{}]})"},
      {R"([{"items":[{}]}])", {}, R"([{"items":[{}]}])"},
      {"]]}}{\"", {}, "]]}}{\""},
  };
  for (const Case& its : cases) {
    CAPTURE(its.text);
    for (const size_t step : {size_t{1}, size_t{3}, size_t{1000}}) {
      std::vector<std::string> items;
      JsonListSplitter splitter([&](std::string_view item) { items.emplace_back(item); });
      for (std::string_view left = its.text; !left.empty(); left.remove_prefix(std::min(step, left.size())))
        splitter.take(left.substr(0, step));
      CHECK(items == its.items);
      CHECK(splitter.rest() == its.rest);
    }
  }
  JsonListSplitter splitter([](std::string_view) {});
  splitter.take(R"({"items":[{"a":")");
  CHECK_THROWS_AS(splitter.take(std::string(size_t{9} << 20, 'x')), Error);
}

TEST_CASE("protobuf list: wrong lengths are rejected") {
  const auto take = [](const std::string& bytes) {
    ProtobufListSplitter([](std::string_view) {}).take(bytes);
  };
  const std::string begin("k8s\0", 4);
  CHECK_THROWS_AS(take(begin + std::string(11, '\xFF')), Error);
  CHECK_THROWS_AS(take(begin + varint(1 << 3)), Error);  // a number instead of bytes
  CHECK_THROWS_AS(take(begin + varint(2 << 3 | 2) + varint(5) + part(2, std::string(10, 'x'))),
                  Error);  // too long
  CHECK_THROWS_AS(
      take(begin + varint(2 << 3 | 2) + varint(1ULL << 60) + varint(2 << 3 | 2) + varint(1ULL << 50)), Error);
}

}  // namespace brief_list_test
