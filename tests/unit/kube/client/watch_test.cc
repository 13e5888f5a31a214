#include "kml/kube/client/watch.h"

#include <doctest/doctest.h>

#include "kml/kube/objects/status.h"
#include "support/fake_transport.h"

namespace watch_test {

using namespace kml;
using namespace kml::kube;
using namespace std::chrono_literals;

namespace {

const std::string kPath = "/api/v1/namespaces/team/pods";
constexpr int kTries = 6;  // how often a request is sent that the server answers with 5xx

Json pod(const std::string& name, const std::string& version, const std::string& uid = "u") {
  return {{"metadata",
           {{"name", name}, {"namespace", "team"}, {"uid", uid + name}, {"resourceVersion", version}}}};
}

std::string event(const std::string& type, const Json& object) {
  return Json{{"type", type}, {"object", object}}.dump() + "\n";
}

Json list_of(std::vector<Json> items, const std::string& version) {
  return {{"metadata", {{"resourceVersion", version}}}, {"items", items}};
}

/// The callbacks of a watch as words: "+a" added, "~a" modified, "-a" deleted, "synced", "retry 800", "failed
/// 403".
struct Fixture {
  FakeTransport transport;
  Client client{transport, [](std::chrono::milliseconds) {}};
  std::vector<std::string> said;
  std::unique_ptr<Watch> watch;

  void start(bool is_patient = false) {
    watch = kube::watch(
        client, *api::find_kind("v1", "Pod"), "team",
        {.label_selector = "a=b", .random = [] { return 0.0; }, .is_patient = is_patient},
        {.on_change =
             [this](Change change, const Json& object) {
               said.push_back((change == Change::added      ? "+"
                               : change == Change::modified ? "~"
                                                            : "-") +
                              string_at(object, {"metadata", "name"}));
             },
         .on_synced = [this] { said.push_back("synced"); },
         .on_failure =
             [this](const Error& error) { said.push_back("failed " + std::to_string(error.http_status)); },
         .on_retry =
             [this](const Error&, std::chrono::milliseconds delay) {
               said.push_back("retry " + std::to_string(delay.count()));
             }});
  }
  void stub_list(std::vector<Json> items, const std::string& version) {
    transport.answer("GET", kPath + "?labelSelector=a%3Db&limit=500", list_of(std::move(items), version));
  }
  void stub_watch(const std::string& version, FakeTransport::Stub stub) {
    transport.stub("GET",
                   kPath + "?watch=true&allowWatchBookmarks=true&resourceVersion=" + version +
                       "&timeoutSeconds=300&labelSelector=a%3Db",
                   std::move(stub));
  }
  void stub_streamed_list(FakeTransport::Stub stub) {
    transport.stub("GET",
                   kPath +
                       "?watch=true&allowWatchBookmarks=true&sendInitialEvents=true"
                       "&resourceVersionMatch=NotOlderThan&timeoutSeconds=300&labelSelector=a%3Db",
                   std::move(stub));
  }
  void expect(std::vector<std::string> words) {
    CHECK(said == words);
    said.clear();
  }
};

FakeTransport::Stub open_with(std::vector<std::string> pieces = {}) {
  return {.pieces = std::move(pieces), .stays_open = true};
}

/// The bookmark that ends a streamed list.
std::string end_of_list(const std::string& version) {
  Json mark = pod("", version);
  mark["metadata"]["annotations"] = {{"k8s.io/initial-events-end", "true"}};
  return event("BOOKMARK", mark);
}

}  // namespace

TEST_CASE_FIXTURE(Fixture,
                  "watch: a streamed list is delivered as it arrives, and its watch continues with changes") {
  stub_streamed_list(open_with({event("ADDED", pod("a", "1")) + event("ADDED", pod("b", "2")),
                                end_of_list("5") + event("DELETED", pod("b", "6"))}));
  start();
  transport.run_for(1s);
  expect({"+a", "+b", "synced", "-b"});
}

TEST_CASE_FIXTURE(Fixture, "watch: if no list is streamed to its end, a list is requested") {
  std::vector<std::string> told = {"+b", "synced"};
  SUBCASE("refused, as by a server that cannot stream lists") {
    stub_streamed_list({.status = 422});
  }
  SUBCASE("cut") {
    stub_streamed_list(FakeTransport::break_connection({event("ADDED", pod("a", "1"))}));
    told = {"+a", "+b", "-a", "synced"};
  }
  SUBCASE("ended") {
    stub_streamed_list({.pieces = {event("ADDED", pod("b", "2"))}});
  }
  SUBCASE("garbage") {
    stub_streamed_list(open_with({"<html>\n"}));
  }
  SUBCASE("silent") {
    stub_streamed_list(open_with());
  }
  stub_list({pod("b", "2")}, "5");
  stub_watch("5", open_with());
  start();
  transport.run_for(40s);
  expect(told);
}

TEST_CASE_FIXTURE(
    Fixture,
    "watch: after 410, a streamed list is delivered as differences, and requested again if it is cut") {
  stub_streamed_list(
      open_with({event("ADDED", pod("same", "1")) + event("ADDED", pod("gone", "2")) + end_of_list("5") +
                 event("ERROR", api::failure_status(410, "Expired", "too old"))}));
  stub_streamed_list(FakeTransport::break_connection({event("ADDED", pod("same", "1"))}));
  stub_streamed_list(
      open_with({event("ADDED", pod("same", "1")) + event("ADDED", pod("new", "8")) + end_of_list("9")}));
  start();
  transport.run_for(5s);
  expect({"+same", "+gone", "synced", "retry 800", "retry 0", "+new", "-gone"});
}

TEST_CASE_FIXTURE(Fixture, "watch: lists, reports that it is synced, and then reports the changes") {
  stub_list({pod("a", "1")}, "5");
  stub_watch("5", open_with({event("ADDED", pod("b", "6")), event("MODIFIED", pod("a", "7")),
                             event("DELETED", pod("b", "8"))}));
  start();
  CHECK(said.empty());
  transport.run_for(1s);
  expect({"+a", "synced", "+b", "~a", "-b"});
}

TEST_CASE_FIXTURE(Fixture, "watch: events are found however the bytes are split") {
  const std::string bytes = event("ADDED", pod("a", "6")) + "\n" + event("ADDED", pod("b", "7"));
  std::vector<std::string> pieces;
  for (char c : bytes) pieces.emplace_back(1, c);
  stub_list({}, "5");
  stub_watch("5", open_with(pieces));
  start();
  transport.run_for(1s);
  expect({"synced", "+a", "+b"});
}

TEST_CASE_FIXTURE(Fixture, "watch: after a break, resumes at the last version, which may be a bookmark's") {
  stub_list({}, "5");
  stub_watch(
      "5", FakeTransport::break_connection({event("ADDED", pod("a", "6")), event("BOOKMARK", pod("", "9"))}));
  stub_watch("9", open_with());
  start();
  transport.run_for(2s);
  expect({"synced", "+a", "retry 0"});
}

TEST_CASE_FIXTURE(
    Fixture, "watch: a connection that delivered something is reopened at once, however often it breaks") {
  stub_list({}, "5");
  for (int i = 5; i < 25; ++i)
    stub_watch(std::to_string(i), FakeTransport::break_connection(
                                      {event("ADDED", pod("a" + std::to_string(i), std::to_string(i + 1)))}));
  stub_watch("25", open_with());
  start();
  transport.run_for(1s);
  CHECK(transport.open_streams() == 1);
}

TEST_CASE_FIXTURE(Fixture, "watch: a connection that delivered nothing is reopened later each time") {
  stub_list({}, "5");
  stub_watch("5", FakeTransport::break_connection());
  stub_watch("5", FakeTransport::break_connection());
  stub_watch("5", FakeTransport::break_connection({event("ADDED", pod("a", "6"))}));
  stub_watch("6", FakeTransport::break_connection());
  stub_watch("6", open_with());
  start();
  transport.run_for(10s);
  expect({"synced", "retry 800", "retry 1600", "+a", "retry 0", "retry 800"});
}

TEST_CASE_FIXTURE(Fixture, "watch: after a clean end without an event, it waits before the next connection") {
  stub_list({}, "5");
  stub_watch("5", {});
  stub_watch("5", open_with());
  start();
  transport.run_for(799ms);
  CHECK(transport.open_streams() == 0);
  transport.run_for(2ms);
  CHECK(transport.open_streams() == 1);
}

TEST_CASE_FIXTURE(Fixture, "watch: after 410, it lists again and reports only the differences") {
  stub_list({pod("same", "1"), pod("changed", "2"), pod("gone", "3"), pod("replaced", "4", "old")}, "5");
  SUBCASE("410 as an event") {
    stub_watch("5", open_with({event("ERROR", api::failure_status(410, "Expired", "too old")) +
                               event("ADDED", pod("late", "6"))}));
  }
  SUBCASE("410 as the answer") {
    stub_watch("5", {.status = 410, .pieces = {api::failure_status(410, "Expired", "too old").dump()}});
  }
  stub_list({pod("same", "1"), pod("changed", "7"), pod("new", "8"), pod("replaced", "9", "new")}, "10");
  stub_watch("10", open_with());
  start();
  transport.run_for(2s);
  expect({"+same", "+changed", "+gone", "+replaced", "synced", "retry 800", "~changed", "+new", "-replaced",
          "+replaced", "-gone"});
}

TEST_CASE_FIXTURE(Fixture, "watch: after an invalid event, it lists again") {
  std::string garbage;
  SUBCASE("not JSON") {
    garbage = "<html>\n";
  }
  SUBCASE("not an event") {
    garbage = "{\"kind\":\"Pod\"}\n";
  }
  SUBCASE("an unknown type") {
    garbage = event("RENAMED", pod("a", "6"));
  }
  SUBCASE("no resourceVersion") {
    garbage = event("ADDED", {{"metadata", {{"name", "a"}}}});
  }
  SUBCASE("nested too deep") {
    garbage = std::string(100'000, '[') + "\n";
  }
  stub_list({}, "5");
  stub_watch("5", open_with({garbage, event("ADDED", pod("ignored", "7"))}));
  stub_list({}, "8");
  stub_watch("8", open_with());
  start();
  transport.run_for(2s);
  expect({"synced", "retry 800"});
}

TEST_CASE_FIXTURE(Fixture, "watch: stops if the server rejects it") {
  int status = 401;
  SUBCASE("unauthorized") {
    stub_watch("5", {.status = status});
  }
  SUBCASE("forbidden") {
    status = 403;
  }
  stub_list({}, "5");
  stub_watch("5", {.status = status});
  start();
  transport.run_for(10min);
  expect({"synced", "failed " + std::to_string(status)});
}

TEST_CASE_FIXTURE(Fixture, "watch: each time that a credential is rejected, the request is sent again once") {
  stub_list({}, "5");
  for (int i = 0; i < 3; ++i) {
    stub_watch("5", {.status = 401});
    stub_watch("5", {});
  }
  stub_watch("5", open_with({event("ADDED", pod("a", "6"))}));
  start();
  transport.run_for(1min);
  expect({"synced", "+a"});
}

TEST_CASE_FIXTURE(Fixture, "watch: ends if its first list fails") {
  for (int i = 0; i < kTries; ++i) transport.stub("GET", kPath, {.status = 500});
  start();
  transport.run_for(10min);
  expect({"failed 500"});
}

TEST_CASE_FIXTURE(Fixture, "watch: a patient watch retries its first list, and ends if that is rejected") {
  for (const int status : {500, 503})
    for (int i = 0; i < kTries; ++i) transport.stub("GET", kPath, {.status = status});
  transport.stub("GET", kPath, {.status = 403});
  start(true);
  transport.run_for(10min);
  expect({"retry 800", "retry 1600", "failed 403"});
}

TEST_CASE_FIXTURE(Fixture,
                  "watch: waits as long as a busy server asks; otherwise, longer after each failure") {
  stub_list({}, "5");
  stub_watch("5", {.status = 429, .headers = {{"retry-after", "7"}}});
  Json busy = api::failure_status(500, "InternalError", "busy", {{"retryAfterSeconds", 9}});
  stub_watch("5", open_with({event("ERROR", busy)}));
  stub_watch("5", {.status = 503});
  stub_watch("5", open_with());
  start();
  transport.run_for(30s);
  expect({"synced", "retry 7000", "retry 9000", "retry 3200"});
}

TEST_CASE_FIXTURE(Fixture, "watch: if a server asks kml to wait for years, kml waits for a minute") {
  stub_list({}, "5");
  Json busy = api::failure_status(500, "InternalError", "busy", {{"retryAfterSeconds", 99'999'999'999}});
  stub_watch("5", open_with({event("ERROR", busy)}));
  stub_watch("5", open_with());
  start();
  transport.run_for(61s);
  expect({"synced", "retry 60000"});
  CHECK(transport.open_streams() == 1);
}

TEST_CASE_FIXTURE(Fixture, "watch: a stream that is silent for longer than the server's timeout is closed") {
  stub_list({}, "5");
  stub_watch("5", open_with());
  stub_watch("5", open_with());
  start();
  transport.run_for(329s);
  expect({"synced"});
  transport.run_for(2s);
  expect({"retry 800"});
  CHECK(transport.open_streams() == 1);
}

TEST_CASE_FIXTURE(Fixture, "watch: may be destroyed in its own callback, and then calls nothing more") {
  stub_list({pod("a", "1")}, "5");
  bool in_list = false;
  SUBCASE("while listing") {
    in_list = true;
  }
  SUBCASE("while watching") {
    stub_watch("5", open_with({event("ADDED", pod("b", "6")) + event("ADDED", pod("c", "7"))}));
  }
  watch = kube::watch(client, *api::find_kind("v1", "Pod"), "team",
                      {.label_selector = "a=b", .random = [] { return 0.0; }},
                      {.on_change =
                           [&](Change, const Json& object) {
                             said.push_back(string_at(object, {"metadata", "name"}));
                             if (in_list || said.back() == "b") watch.reset();
                           },
                       .on_synced = [] {},
                       .on_failure = [](const Error&) { FAIL("it failed"); }});
  transport.run_for(10min);
  CHECK(said.back() == (in_list ? "a" : "b"));
  CHECK(transport.open_streams() == 0);
}

TEST_CASE_FIXTURE(Fixture, "watch: an exception from the caller's callback reaches the caller") {
  stub_list({pod("a", "1")}, "5");
  watch = kube::watch(client, *api::find_kind("v1", "Pod"), "team", {.label_selector = "a=b"},
                      {.on_change = [](Change, const Json&) { throw Error(ErrorCode::failure, "mine"); },
                       .on_synced = [] {},
                       .on_failure = [](const Error&) { FAIL("it failed"); }});
  CHECK_THROWS_WITH(transport.run_for(1s), "mine");
}

TEST_CASE_FIXTURE(Fixture, "watch: an event without an end is an error, and is not retried") {
  stub_list({}, "5");
  stub_watch("5", {.pieces = std::vector<std::string>(9, std::string(size_t{1} << 20, 'x'))});
  start();
  transport.run_for(1s);
  expect({"synced", "failed 0"});
}

}  // namespace watch_test
