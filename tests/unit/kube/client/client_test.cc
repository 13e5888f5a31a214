#include "kml/kube/client/client.h"

#include <doctest/doctest.h>

#include "kml/base/memory.h"
#include "kml/kube/client/patch_all.h"
#include "kml/kube/objects/access_review.h"
#include "kml/kube/objects/status.h"
#include "kube/client/client_fixture.h"
#include "support/fake_transport.h"

namespace client_test {

TEST_CASE_FIXTURE(Fixture, "client: create posts the object and returns the server's") {
  transport.answer("POST", kPath + "?fieldManager=kml&fieldValidation=Strict", job("bert"), 201);
  CHECK(client.create(kJobs, "team", job("bert")) == job("bert"));
  CHECK(Json::parse(transport.requests[0].body) == job("bert"));
}

TEST_CASE_FIXTURE(Fixture,
                  "client: an answer that is not the new object does not prove that the object was created") {
  const Json answers[] = {Json::object(),
                          {{"items", "none"}},
                          {{"kind", "SecretList"}, {"items", Json::array()}},
                          {{"kind", "Status"}, {"status", "Success"}},
                          {{"metadata", {{"name", 5}}}},
                          "ok"};
  for (const Json& answer : answers) {
    CAPTURE(answer.dump());
    transport.answer("POST", kPath, answer, 201);
    CHECK(error_of([&] { client.create(kJobs, "team", job("bert")); }).code == ErrorCode::unreachable);
  }
}

TEST_CASE_FIXTURE(Fixture, "client: an empty name is rejected, because its path would mean all objects") {
  const std::function<void()> calls[] = {
      [&] { client.get(kJobs, "team", ""); }, [&] { client.get_if_exists(kJobs, "team", ""); },
      [&] {
        client.replace(kJobs, "team", Json{{"kind", "Job"}});
      },
      [&] { client.patch(kJobs, "team", "", kube::PatchType::merge, Json::object()); },
      [&] { client.remove(kJobs, "team", ""); }};
  for (const auto& call : calls) {
    const Error error = error_of(call);
    CHECK(error.code == ErrorCode::usage);
    CHECK(error.message == "the name of a job is empty");
  }
  CHECK(transport.requests.empty());
}

TEST_CASE_FIXTURE(Fixture, "client: a dry run is marked as such for the server") {
  transport.answer("POST", kPath + "?fieldManager=kml&fieldValidation=Strict&dryRun=All", job("bert"), 201);
  client.create(kJobs, "team", job("bert"), true);
}

TEST_CASE_FIXTURE(Fixture,
                  "client: a response that kml requested in advance is used instead of a new request") {
  const api::ResourceKind& pods = *api::find_kind("v1", "Pod");
  transport.answer("GET", kPath + "/bert", job("bert"));
  transport.answer("GET", kPath + "/none", api::failure_status(404, "NotFound", "no such job"), 404);
  transport.answer("GET", kPath + "/busy", api::failure_status(503, "ServiceUnavailable", "later"), 503);
  transport.stub("GET", kPath + "/far",
                 {.broken = std::make_shared<Error>(ErrorCode::unreachable, "cannot connect")});
  transport.answer("GET", "/api/v1/namespaces/team/pods?labelSelector=job-name%3Dbert&limit=500",
                   {{"items", Json::array({job("bert-0")})}});
  {
    const auto ahead =
        client.ask_ahead({get_request(kJobs, "team", "bert"), get_request(kJobs, "team", "none"),
                          get_request(kJobs, "team", "busy"), get_request(kJobs, "team", "far"),
                          list_request(pods, "team", {.label_selector = "job-name=bert"})});
    CHECK(transport.requests.size() == 5);
    CHECK(client.get(kJobs, "team", "bert") == job("bert"));
    CHECK_FALSE(client.get_if_exists(kJobs, "team", "none"));
    CHECK(client.list(pods, "team", {.label_selector = "job-name=bert"}).items.size() == 1);
    CHECK(error_of([&] { client.get(kJobs, "team", "far"); }).why == "cannot connect");
    CHECK(transport.requests.size() == 5);
    transport.answer("GET", kPath + "/busy", job("busy"));
    CHECK(client.get(kJobs, "team", "busy") == job("busy"));  // a busy server is asked again
    {
      const auto inner =
          client.ask_ahead({get_request(kJobs, "team", "bert"), get_request(kJobs, "team", "none")});
      CHECK(client.get(kJobs, "team", "bert") == job("bert"));
    }
    CHECK_FALSE(client.get_if_exists(kJobs, "team", "none"));
    CHECK(transport.requests.size() == 6);
  }
  client.set_near();
  { const auto nothing = client.ask_ahead({get_request(kJobs, "team", "bert")}); }
  CHECK(transport.requests.size() == 6);
}

TEST_CASE_FIXTURE(Fixture, "client: a response that was requested in advance, but not used, is not kept") {
  transport.answer("GET", kPath + "/bert", job("bert"));
  { const auto unused = client.ask_ahead({get_request(kJobs, "team", "bert")}); }
  transport.answer("GET", kPath + "/bert", job("bert"));
  client.get(kJobs, "team", "bert");
}

TEST_CASE_FIXTURE(Fixture, "client: a Status becomes an error with its reason, code and causes") {
  const Json causes = {{"causes", {{{"field", "spec.x"}, {"message", "must be more"}}}}};
  transport.answer("POST", kPath, api::failure_status(422, "Invalid", "Job is invalid", causes), 422);
  const Error error = error_of([&] { client.create(kJobs, "team", job("bert")); });
  CHECK(error.message == "cannot create job \"bert\"");
  CHECK(error.why == "Job is invalid");
  CHECK(error.reason == "Invalid");
  CHECK(error.http_status == 422);
  REQUIRE(error.problems.size() == 1);
  CHECK(error.problems[0].path == "spec.x");
}

TEST_CASE_FIXTURE(Fixture, "client: a forbidden request has the exit code of missing rights") {
  transport.answer("GET", kPath + "/bert", api::failure_status(403, "Forbidden", "no"), 403);
  CHECK(error_of([&] { client.get(kJobs, "team", "bert"); }).code == ErrorCode::auth);
}

TEST_CASE_FIXTURE(
    Fixture, "client: get_if_exists returns nothing for a missing object, and throws for a missing kind") {
  transport.answer("GET", kPath + "/bert", api::failure_status(404, "NotFound", "gone"), 404);
  CHECK_FALSE(client.get_if_exists(kJobs, "team", "bert"));
  transport.stub("GET", kPath + "/bert", {.status = 404, .pieces = {"404 page not found"}});
  CHECK_THROWS_AS(client.get_if_exists(kJobs, "team", "bert"), Error);
}

TEST_CASE_FIXTURE(Fixture, "client: delete removes the pods too, unless told otherwise") {
  transport.answer("DELETE", kPath + "/bert", Json::object());
  client.remove(kJobs, "team", "bert");
  CHECK(Json::parse(transport.requests[0].body)["propagationPolicy"] == "Background");
  transport.answer("DELETE", kPath + "/bert", Json::object());
  client.remove(kJobs, "team", "bert", {.propagation = Propagation::orphan, .grace_seconds = 0, .uid = "u1"});
  const Json body = Json::parse(transport.requests[1].body);
  CHECK(body["propagationPolicy"] == "Orphan");
  CHECK(body["gracePeriodSeconds"] == 0);
  CHECK(body["preconditions"]["uid"] == "u1");
}

TEST_CASE_FIXTURE(Fixture, "client: a patch is sent with its type") {
  const std::pair<PatchType, std::string> table[] = {
      {PatchType::json, "application/json-patch+json"},
      {PatchType::merge, "application/merge-patch+json"},
      {PatchType::strategic, "application/strategic-merge-patch+json"},
      {PatchType::apply, "application/apply-patch+yaml"}};
  for (const auto& [type, content_type] : table) {
    transport.answer("PATCH", kPath + "/bert/status", job("bert"));
    client.patch(kJobs, "team", "bert", type, Json::object(), "status");
    CHECK(transport.requests.back().headers[1].second == content_type);
  }
}

TEST_CASE_FIXTURE(
    Fixture,
    "client: an answer gets the requested kind, or is an error if the answer cannot be of that kind") {
  for (const Json& kind : {Json(), Json("Job")}) {
    transport.answer("GET", kPath + "/bert", {{"kind", kind}, {"metadata", {{"name", "bert"}}}});
    CHECK(client.get(kJobs, "team", "bert") == job("bert"));
  }
  const Json named = {{"metadata", {{"name", "bert"}}}};
  Json others[] = {
      Json::object(), {{"kind", 7}}, {{"kind", "Secret"}}, {{"kind", "JobList"}}, {{"kind", "Status"}}};
  for (Json& answer : others) {
    if (!answer.empty()) answer.update(named);
    CAPTURE(answer.dump());
    const auto refuses = [&](const std::string& method, const std::function<void()>& call) {
      CAPTURE(method);
      transport.stub(method, kPath + "/bert", {.pieces = {answer.dump()}});
      CHECK(error_of(call).code == ErrorCode::unreachable);
    };
    refuses("GET", [&] { client.get(kJobs, "team", "bert"); });
    refuses("PUT", [&] { client.replace(kJobs, "team", job("bert")); });
    refuses("DELETE", [&] { client.remove(kJobs, "team", "bert"); });
    for (const PatchType type : {PatchType::json, PatchType::merge})
      refuses("PATCH", [&] { client.patch(kJobs, "team", "bert", type, Json::array()); });
    // the request is sent with others, then alone
    transport.stub("PATCH", kPath + "/bert", {.pieces = {answer.dump()}});
    refuses("PATCH",
            [&] { patch_all(client, kJobs, "team", std::vector<std::string>{"bert"}, Json::object()); });
  }
  transport.answer("GET", kPath + "/bert", Json::array({1}));
  const Error error = error_of([&] { client.get(kJobs, "team", "bert"); });
  CHECK(error.code == ErrorCode::unreachable);
  CHECK(error.why == "the answer is not a Job: [1]");
}

TEST_CASE_FIXTURE(Fixture, "client: a web page is never accepted as a response") {
  const FakeTransport::Stub page{.pieces = {"<html>Sign in</html>"},
                                 .headers = {{"content-type", "text/html; charset=utf-8"}}};
  transport.stub("DELETE", kPath + "/bert", page);
  CHECK(error_of([&] { client.remove(kJobs, "team", "bert"); }).code == ErrorCode::unreachable);
  transport.stub("GET", "/api/v1/namespaces/team/pods/p/log", page);
  CHECK(error_of([&] { client.log("team", "p", {}); }).why ==
        "the answer is not from Kubernetes: \"<html>Sign in</html>\"");
}

TEST_CASE_FIXTURE(Fixture, "client: options of a log become its query") {
  transport.stub("GET",
                 "/api/v1/namespaces/team/pods/p/log?container=c&previous=true&timestamps=true&sinceTime="
                 "2026-01-01T00%3A00%3A00Z&tailLines=5",
                 {.pieces = {"line\n"}});
  CHECK(client.log("team", "p",
                   {.container = "c",
                    .previous = true,
                    .timestamps = true,
                    .since_time = "2026-01-01T00:00:00Z",
                    .tail_lines = 5}) == "line\n");
}

TEST_CASE_FIXTURE(Fixture, "client: asks the server only once about a kind that kml does not know") {
  const Json object = {{"apiVersion", "x.dev/v1"}, {"kind", "Train"}};
  transport.answer(
      "GET", "/apis/x.dev/v1",
      {{"resources",
        {{{"name", "trains/status"}, {"kind", "Train"}, {"namespaced", true}},
         {{"name", "trains"}, {"singularName", "train"}, {"kind", "Train"}, {"namespaced", true}}}}});
  CHECK(client.kind_of(object).path("team", "a") == "/apis/x.dev/v1/namespaces/team/trains/a");
  CHECK(&client.kind_of(object) == &client.kind_of(object));
  CHECK(client.kind_of(job("x")).kind == "Job");
}

TEST_CASE_FIXTURE(Fixture,
                  "client: a kind that the server does not know is a usage error with the nearest name") {
  transport.answer("GET", "/apis/x.dev/v1", {{"resources", {{{"name", "trains"}, {"kind", "Train"}}}}});
  const Error error = error_of([&] { client.kind_of({{"apiVersion", "x.dev/v1"}, {"kind", "Trian"}}); });
  CHECK(error.code == ErrorCode::usage);
  CHECK(error.fix.starts_with("did you mean \"Train\"?"));
  for (const Json& other : {Json::object(), Json::array(), Json{{"resources", "none"}}}) {
    transport.answer("GET", "/apis/z.dev/v1", other);
    CHECK(error_of([&] {
            client.kind_of({{"apiVersion", "z.dev/v1"}, {"kind", "Z"}});
          }).code == ErrorCode::unreachable);
  }
  transport.stub("GET", "/apis/y.dev/v1", {.status = 404, .pieces = {"404 page not found"}});
  CHECK(error_of([&] {
          client.kind_of({{"apiVersion", "y.dev/v1"}, {"kind", "Y"}});
        }).code == ErrorCode::usage);
}

}  // namespace client_test
