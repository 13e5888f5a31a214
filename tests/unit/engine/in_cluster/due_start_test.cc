#include <doctest/doctest.h>

#include "engine/in_cluster/due_start.h"
#include "kml/base/error.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "support/fake_transport.h"

namespace kml::engine::due_start_test {

namespace {

constexpr const char* kJobs = "/apis/batch/v1/namespaces/team/jobs/";

Json job(const char* name, const char* uid, const char* end = "") {
  Json job = {{"apiVersion", "batch/v1"},
              {"kind", "Job"},
              {"metadata",
               {{"name", name},
                {"namespace", "team"},
                {"uid", uid},
                {"resourceVersion", "7"},
                {"labels", {{api::kSubmitId, "id"}}}}},
              {"spec", {{"suspend", false}}}};
  if (*end) job["status"]["conditions"] = Json::array({{{"type", end}, {"status", "True"}}});
  return job;
}

/// A suspended job that waits for job "a" to succeed and job "b" to end.
Json waiting_job() {
  Json waiting = job("next", "n");
  waiting["spec"]["suspend"] = true;
  using When = api::Dependency::When;
  api::set_annotation(waiting, api::kAfter,
                      api::text_of({{When::ok, "Job", "a", "1", ""}, {When::any, "Job", "b", "2", ""}}));
  return waiting;
}

struct Server {
  FakeTransport transport;
  kube::Client client{transport};

  void has(const Json& object) { transport.answer("GET", kJobs + api::name_of(object), object); }
  std::vector<Json> look() { return start_if_due(client, "team", "Job", "next"); }
  Json last_sent() const { return Json::parse(transport.requests.back().body); }
};

}  // namespace

TEST_CASE(
    "due start: the job starts once all others have ended as required, unless it was changed in the "
    "meantime") {
  Server server;
  for (const Json& each : {waiting_job(), job("a", "1", "Complete"), job("b", "2", "Failed")})
    server.has(each);
  server.transport.answer("PATCH", kJobs + std::string("next"), job("next", "n"));
  CHECK(server.look().empty());
  const Json sent = server.last_sent();
  CHECK(sent["spec"]["suspend"] == false);
  CHECK(sent["metadata"]["annotations"][std::string(api::kAfter)].is_null());
  CHECK(sent["metadata"]["resourceVersion"] == "7");
}

TEST_CASE("due start: kml keeps waiting for a running job, and no longer names one that has ended") {
  Server server;
  for (const Json& each : {waiting_job(), job("a", "1"), job("b", "2", "Failed")}) server.has(each);
  server.transport.answer("PATCH", kJobs + std::string("next"), waiting_job());
  const std::vector<Json> open = server.look();
  REQUIRE(open.size() == 1);
  CHECK(api::name_of(open[0]) == "a");
  const Json sent = server.last_sent();
  CHECK_FALSE(sent.contains("spec"));
  CHECK(string_at(sent, {"metadata", "annotations", std::string(api::kAfter)}).find("\"b\"") ==
        std::string::npos);
}

TEST_CASE("due start: a job that has changed meanwhile is read again") {
  Server server;
  for (const Json& each : {waiting_job(), job("a", "1", "Complete"), job("b", "2", "Failed")})
    server.has(each);
  server.transport.answer("PATCH", kJobs + std::string("next"),
                          {{"kind", "Status"}, {"reason", "Conflict"}, {"code", 409}}, 409);
  server.has(job("next", "n"));  // resumed by a user
  CHECK(server.look().empty());
}

TEST_CASE(
    "due start: if another job ended badly, or was replaced under its name, the waiting job says why it "
    "cannot start") {
  for (const Json& other : {job("a", "1", "Failed"), job("a", "later", "Complete")}) {
    Server server;
    for (const Json& each : {waiting_job(), other, job("b", "2")}) server.has(each);
    server.transport.answer("PATCH", kJobs + std::string("next"), waiting_job());
    CHECK_THROWS_AS(server.look(), Error);
    const Json sent = server.last_sent();
    CHECK_FALSE(sent.contains("spec"));
    CHECK(string_at(sent, {"metadata", "annotations", std::string(api::kAfter)}).find("never") !=
          std::string::npos);
  }
}

TEST_CASE("due start: a job that was deleted or cancelled is not changed") {
  Server server;
  server.transport.answer("GET", kJobs + std::string("next"), {{"kind", "Status"}, {"reason", "NotFound"}},
                          404);
  CHECK(server.look().empty());
  Json cancelled = waiting_job();
  api::set_annotation(cancelled, api::kCancelled, "now");
  server.has(cancelled);
  CHECK(server.look().empty());
}

TEST_CASE("due start: the pod's account may change only the waiting job, and the pod needs no volume claim") {
  const Json waiting = waiting_job();
  const EngineProgram program = due_program(waiting);
  REQUIRE(program.rules.size() == 2);
  CHECK(program.rules[0].at("verbs") == Json::array({"get", "list", "watch"}));
  CHECK(program.rules[1].at("verbs") == Json::array({"get", "patch"}));
  CHECK(program.rules[1].at("resourceNames") == Json::array({"next"}));
  const Json engine = engine_objects(due_marks(waiting), {"kml:1", "", "", "", "ana"}, program).back();
  CHECK(string_at(engine, {"metadata", "name"}) == "next-engine");
  CHECK(engine.at("spec").at("template").at("spec").at("volumes")[0].contains("emptyDir"));
}

}  // namespace kml::engine::due_start_test
