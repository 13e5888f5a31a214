#include "kml/kube/client/client.h"

#include <doctest/doctest.h>

#include "kml/base/memory.h"
#include "kml/kube/client/patch_all.h"
#include "kml/kube/objects/access_review.h"
#include "kml/kube/objects/status.h"
#include "kube/client/client_fixture.h"
#include "support/fake_transport.h"

namespace client_test {

TEST_CASE_FIXTURE(Fixture, "client: a deletion, a replacement and an apply patch are repeated too") {
  const auto once = [&](const std::string& method, const std::function<void()>& call) {
    CAPTURE(method);
    for (const int status : {429, 500, 502, 503, 504}) {
      transport.stub(method, kPath + "/bert", {.status = status});
      transport.answer(method, kPath + "/bert", job("bert"));
      call();
    }
    transport.stub(method, kPath + "/bert", FakeTransport::break_connection());
    transport.answer(method, kPath + "/bert", job("bert"));
    call();
  };
  once("DELETE", [&] { client.remove(kJobs, "team", "bert"); });
  once("PUT", [&] { client.replace(kJobs, "team", job("bert")); });
  once("PATCH", [&] { client.patch(kJobs, "team", "bert", PatchType::apply, job("bert")); });
  // The first attempt has deleted the object. If the first response says that it is missing, that is an
  // error.
  const Json missing = api::failure_status(404, "NotFound", "gone");
  transport.stub("DELETE", kPath + "/bert", FakeTransport::break_connection());
  transport.answer("DELETE", kPath + "/bert", missing, 404);
  client.remove(kJobs, "team", "bert");
  transport.answer("DELETE", kPath + "/bert", missing, 404);
  CHECK(error_of([&] { client.remove(kJobs, "team", "bert"); }).reason == "NotFound");
  // A second replacement of the same version would be rejected.
  Json version = job("bert");
  version["metadata"]["resourceVersion"] = "7";
  transport.stub("PUT", kPath + "/bert", FakeTransport::break_connection());
  CHECK_THROWS_AS(client.replace(kJobs, "team", version), Error);
}

TEST_CASE_FIXTURE(Fixture, "client: repeats even a creation if the server asks for that") {
  int status = 429;
  SUBCASE("too many requests") {}
  SUBCASE("unavailable") {
    status = 503;
  }
  transport.stub("POST", kPath, {.status = status, .headers = {{"retry-after", "3"}}});
  transport.answer("POST", kPath, job("bert"), 201);
  client.create(kJobs, "team", job("bert"));
  CHECK(pauses == std::vector<std::chrono::milliseconds>{std::chrono::seconds(3)});
}

TEST_CASE_FIXTURE(
    Fixture,
    "client: without whole seconds in Retry-After, repeats a GET for some seconds, but no creation") {
  std::multimap<std::string, std::string> headers;
  SUBCASE("missing") {}
  SUBCASE("a date") {
    headers = {{"retry-after", "Fri, 31 Dec 1999 23:59:59 GMT"}};
  }
  SUBCASE("a fraction") {
    headers = {{"retry-after", "1.5"}};
  }
  for (const int status : {429, 500, 502, 503, 504}) {
    pauses.clear();
    transport.stub("GET", kPath + "/bert", {.status = status, .headers = headers});
    transport.answer("GET", kPath + "/bert", job("bert"));
    client.get(kJobs, "team", "bert");
    CHECK(pauses == std::vector<std::chrono::milliseconds>{std::chrono::seconds(1)});
    for (int i = 0; i < 6; ++i)
      transport.stub("GET", kPath + "/bert", {.status = status, .headers = headers});
    CHECK(error_of([&] { client.get(kJobs, "team", "bert"); }).http_status == status);
    CHECK(pauses.size() == 6);
    transport.stub("POST", kPath, {.status = status, .headers = headers});
    CHECK(error_of([&] { client.create(kJobs, "team", job("bert")); }).http_status == status);
    CHECK(pauses.size() == 6);
    transport.answer("GET", kPath + "/bert", job("bert"));
    client.get(kJobs, "team", "bert");
  }
  transport.stub("GET", kPath + "/bert", {.status = 501, .headers = headers});
  CHECK(error_of([&] { client.get(kJobs, "team", "bert"); }).http_status == 501);
}

TEST_CASE_FIXTURE(
    Fixture,
    "client: a request with a rejected credential is sent once more, because the credential may be renewed") {
  transport.stub("POST", kPath, {.status = 401});
  transport.answer("POST", kPath, job("bert"), 201);
  client.create(kJobs, "team", job("bert"));
  for (int i = 0; i < 2; ++i) transport.stub("GET", kPath + "/bert", {.status = 401});
  CHECK(error_of([&] { client.get(kJobs, "team", "bert"); }).http_status == 401);
  CHECK(pauses.empty());
}

TEST_CASE_FIXTURE(Fixture, "client: of many objects, only those that were rejected are sent once more") {
  const std::vector<Json> jobs = {job("a"), job("b"), job("c")};
  std::vector<Creation> creations;
  for (const Json& object : jobs) creations.push_back({"team", object});
  transport.answer("POST", kPath, job("a"), 201);
  for (int i = 0; i < 3; ++i) transport.stub("POST", kPath, {.status = 401});
  transport.answer("POST", kPath, job("c"), 201);
  std::map<size_t, int> answers;  // 0: created
  client.create_all(kJobs, creations, false, [&](size_t index, const Json*, const Error* error) {
    CHECK(answers.emplace(index, error ? error->http_status : 0).second);
  });
  CHECK(answers == std::map<size_t, int>{{0, 0}, {1, 401}, {2, 0}});
  CHECK(transport.requests.size() == 5);
}

TEST_CASE_FIXTURE(
    Fixture, "client: a stream that was rejected is opened once more, and its owner sees a single stream") {
  const auto read = [&](int refusals) {
    for (int i = 0; i < refusals; ++i) transport.stub("GET", "/stream", {.status = 401, .pieces = {"who?"}});
    if (refusals < 2) transport.stub("GET", "/stream", {.pieces = {"1", "2"}});
    std::string seen;
    const auto stream = client.transport().stream(
        {.path = "/stream"},
        {.on_headers = [&](const auto& response) { seen += std::to_string(response.status); },
         .on_data =
             [&](std::string_view data) {
               seen += data;
               return true;
             },
         .on_end = [&](const auto& response, const Error*) { seen += " " + response.body; }});
    stream->pause(true);
    transport.run_for(std::chrono::seconds(1));
    CHECK(seen.empty());
    stream->pause(false);
    transport.run_for(std::chrono::seconds(1));
    return seen;
  };
  CHECK(read(0) == "20012 ");
  CHECK(read(1) == "20012 ");
  CHECK(read(2) == "401 who?");
}

TEST_CASE_FIXTURE(Fixture, "client: gives up after 10 repetitions") {
  for (int i = 0; i < 11; ++i)
    transport.stub("GET", kPath + "/bert", {.status = 429, .headers = {{"retry-after", "1"}}});
  CHECK(error_of([&] { client.get(kJobs, "team", "bert"); }).http_status == 429);
  CHECK(pauses.size() == 10);
}

TEST_CASE_FIXTURE(Fixture,
                  "client: reports once that it waits, and waits no more than two minutes in a row") {
  const FakeTransport::Stub busy = {.status = 503, .headers = {{"retry-after", "50"}}};
  for (int i = 0; i < 4; ++i) transport.stub("GET", kPath + "/bert", busy);
  CHECK(error_of([&] { client.get(kJobs, "team", "bert"); }).http_status == 503);
  CHECK(pauses.size() == 2);
  CHECK(told == std::vector<std::string>{"the server returned 503; retrying for up to two minutes"});

  CHECK(error_of([&] { client.get(kJobs, "team", "bert"); }).http_status == 503);
  CHECK_MESSAGE(pauses.size() == 2, "another request of the command waits again");

  transport.answer("GET", kPath + "/bert", job("bert"), 200);
  client.get(kJobs, "team", "bert");
  transport.stub("GET", kPath + "/bert", busy);
  transport.answer("GET", kPath + "/bert", job("bert"), 200);
  client.get(kJobs, "team", "bert");
  CHECK(pauses.size() == 3);
  CHECK(told.size() == 2);
}

TEST_CASE_FIXTURE(Fixture, "client: a short wait is not reported") {
  transport.stub("GET", kPath + "/bert", {.status = 429, .headers = {{"retry-after", "1"}}});
  transport.answer("GET", kPath + "/bert", job("bert"), 200);
  client.get(kJobs, "team", "bert");
  CHECK(told.empty());
}

TEST_CASE_FIXTURE(
    Fixture, "client: after a broken connection, a request is repeated if a second one changes nothing") {
  const std::string dry = kPath + "?fieldManager=kml&fieldValidation=Strict&dryRun=All";
  transport.stub("POST", dry, FakeTransport::break_connection());
  transport.answer("POST", dry, job("bert"));
  CHECK(client.create(kJobs, "team", job("bert"), true) == job("bert"));
  const std::string reviews =
      "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews?fieldManager=kml&fieldValidation=Strict";
  transport.stub("POST", reviews, FakeTransport::break_connection());
  transport.answer("POST", reviews, {{"status", {{"allowed", true}}}}, 201);
  CHECK(bool_at(client.create(api::kAccessReview, "", Json::object()), {"status", "allowed"}));
  const auto patch = [&](PatchType type, const Json& body) {
    return client.patch(kJobs, "team", "bert", type, body);
  };
  transport.stub("PATCH", kPath + "/bert", FakeTransport::break_connection());
  transport.answer("PATCH", kPath + "/bert", job("bert"));
  CHECK(patch(PatchType::merge, {{"spec", {{"suspend", true}}}}) == job("bert"));
  transport.stub("PATCH", kPath + "/bert", FakeTransport::break_connection());
  CHECK_THROWS_AS(patch(PatchType::json, Json::array()), Error);
  transport.stub("PATCH", kPath + "/bert", FakeTransport::break_connection());
  CHECK_THROWS_AS(patch(PatchType::merge, {{"metadata", {{"resourceVersion", "1"}}}}), Error);
}

TEST_CASE_FIXTURE(Fixture, "client: after a broken connection, GET is repeated, and creation is not") {
  transport.stub("GET", kPath + "/bert", FakeTransport::break_connection());
  transport.answer("GET", kPath + "/bert", job("bert"));
  CHECK(client.get(kJobs, "team", "bert") == job("bert"));
  transport.stub("POST", kPath, FakeTransport::break_connection());
  const Error error = error_of([&] { client.create(kJobs, "team", job("bert")); });
  CHECK(error.reason == http::kConnectionBroke);
  CHECK(error.message == "cannot create job \"bert\"");
}

}  // namespace client_test
