#include "kml/job/submit/create.h"

#include <doctest/doctest.h>

#include "support/fake_transport.h"

namespace create_test {

using namespace kml;
using namespace kml::job;

namespace {

constexpr const char* kJobs = "/apis/batch/v1/namespaces/lab/jobs";

Json job(const std::string& name, const std::string& submit_id) {
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", {{"name", name}, {"labels", {{"kml.dev/submit-id", submit_id}}}}}};
}

Json status(int code, const char* reason) {
  return {{"kind", "Status"}, {"status", "Failure"}, {"code", code}, {"reason", reason}, {"message", reason}};
}

int posts(const FakeTransport& transport) {
  int count = 0;
  for (const http::Request& request : transport.requests) count += request.method == "POST";
  return count;
}

}  // namespace

TEST_CASE(
    "create: if a response is lost, the object is looked up, and finding the object that was sent is a "
    "success") {
  FakeTransport transport;
  kube::Client client(transport);
  transport.stub("POST", kJobs, FakeTransport::break_connection());
  transport.answer("GET", std::string(kJobs) + "/bert", job("bert", "mine"));
  CHECK(create_once(client, "lab", job("bert", "mine"))["metadata"]["name"] == "bert");
  CHECK(posts(transport) == 1);
}

TEST_CASE("create: a request that never arrived is sent again") {
  FakeTransport transport;
  kube::Client client(transport);
  transport.stub("POST", kJobs, FakeTransport::break_connection());
  transport.answer("GET", std::string(kJobs) + "/bert", status(404, "NotFound"), 404);
  transport.answer("POST", kJobs, job("bert", "mine"), 201);
  create_once(client, "lab", job("bert", "mine"));
  CHECK(posts(transport) == 2);
}

TEST_CASE(
    "create: if the object already exists, the submit succeeds only if it has sent that object itself") {
  FakeTransport transport;
  kube::Client client(transport);
  transport.answer("POST", kJobs, status(409, "AlreadyExists"), 409);
  SUBCASE("this submit's object") {
    transport.answer("GET", std::string(kJobs) + "/bert", job("bert", "mine"));
    CHECK(create_once(client, "lab", job("bert", "mine"))["metadata"]["name"] == "bert");
  }
  SUBCASE("another submit's object") {
    transport.answer("GET", std::string(kJobs) + "/bert", job("bert", "theirs"));
    CHECK_THROWS_WITH(create_once(client, "lab", job("bert", "mine")),
                      "Job \"bert\" already exists in namespace lab");
  }
}

TEST_CASE("create: a rejection is not retried") {
  FakeTransport transport;
  kube::Client client(transport);
  transport.answer("POST", kJobs, status(403, "Forbidden"), 403);
  CHECK_THROWS_AS(create_once(client, "lab", job("bert", "mine")), Error);
  CHECK(posts(transport) == 1);
}

namespace {

/// Enough jobs that they are not sent one by one.
std::vector<Json> many_jobs() {
  std::vector<Json> jobs;
  for (int i = 0; i < 12; ++i) jobs.push_back(job("j" + std::to_string(i), "mine"));
  for (Json& job : jobs) job["metadata"]["namespace"] = "lab";
  return jobs;
}

}  // namespace

TEST_CASE("create: each of many jobs is created once, even those whose answer was lost") {
  FakeTransport transport;
  kube::Client client(transport);
  const std::vector<Json> jobs = many_jobs();
  for (int i = 0; i < 12; ++i) {
    if (i == 3 || i == 5)
      transport.stub("POST", kJobs, FakeTransport::break_connection());
    else
      transport.answer("POST", kJobs, jobs[static_cast<size_t>(i)], 201);
  }
  transport.answer("POST", kJobs, status(409, "AlreadyExists"), 409);  // the server had received j3
  transport.answer("POST", kJobs, jobs[5], 201);
  transport.answer("GET", std::string(kJobs) + "/j3", jobs[3]);
  size_t done = 0;
  auto results = create_all(client, jobs, {.on_progress = [&](size_t count) { done = count; }});
  REQUIRE(results.size() == 12);
  for (size_t i = 0; i < 12; ++i) {
    CHECK_FALSE(results[i].error);
    CHECK(results[i].created.value()["metadata"]["name"] == "j" + std::to_string(i));
  }
  CHECK(posts(transport) == 14);
  CHECK(done == 12);
}

TEST_CASE("create: all rejected objects are reported, and objects of another kind after them are not tried") {
  FakeTransport transport;
  kube::Client client(transport);
  std::vector<Json> objects = many_jobs();
  for (int i = 0; i < 12; ++i) {
    if (i == 2 || i == 7)
      transport.answer("POST", kJobs, status(422, "Invalid"), 422);
    else
      transport.answer("POST", kJobs, objects[static_cast<size_t>(i)], 201);
  }
  objects.push_back({{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", "late"}}}});
  auto results = create_all(client, objects, {});
  for (size_t i = 0; i < 12; ++i) CHECK(results[i].error.has_value() == (i == 2 || i == 7));
  CHECK_FALSE(results[12].error);
  CHECK_FALSE(results[12].created);
}

TEST_CASE("create: kml waits only once for a server that does not answer, not once for each object") {
  FakeTransport transport;
  kube::Client client(transport);
  constexpr int kRounds = 2;
  for (int i = 0; i < 12 * kRounds; ++i) transport.stub("POST", kJobs, FakeTransport::break_connection());
  FakeTransport::Stub away;
  away.broken = std::make_shared<Error>(ErrorCode::unreachable, "no connection");
  constexpr int kTries = 5;
  for (int i = 0; i < kTries; ++i) transport.stub("GET", std::string(kJobs) + "/j0", away);
  auto results = create_all(client, many_jobs(), {});
  for (const Creation& result : results) CHECK(result.error.has_value());
}

namespace {

Json uncalled_webhook() {
  return {{"kind", "Status"},
          {"status", "Failure"},
          {"code", 500},
          {"reason", "InternalError"},
          {"message",
           "Internal error occurred: failed calling webhook \"a.b.c\": failed to call webhook: Post "
           "\"https://127.0.0.1/\": EOF"}};
}

}  // namespace

TEST_CASE("create: of many jobs, those whose webhook fails are sent again") {
  FakeTransport transport;
  kube::Client client(transport);
  const std::vector<Json> jobs = many_jobs();
  for (size_t i = 0; i < 12; ++i)
    i % 4 == 0 ? transport.answer("POST", kJobs, uncalled_webhook(), 500)
               : transport.answer("POST", kJobs, jobs[i], 201);
  transport.answer("POST", kJobs, uncalled_webhook(), 500);
  for (const size_t i : {4, 8, 0}) transport.answer("POST", kJobs, jobs[i], 201);
  auto results = create_all(client, jobs, {});
  for (size_t i = 0; i < 12; ++i) CHECK(results[i].created == jobs[i]);
  CHECK(posts(transport) == 16);
}

TEST_CASE("create: if a webhook never answers, the rest of many jobs is not sent") {
  FakeTransport transport;
  kube::Client client(transport);
  std::vector<Json> jobs;
  for (int i = 0; i < 100; ++i) jobs.push_back(job("j" + std::to_string(i), "mine"));
  for (int i = 0; i < 32 + 120 * 8; ++i) transport.answer("POST", kJobs, uncalled_webhook(), 500);
  std::vector<std::string> told;
  for (Json& each : jobs) each["metadata"]["namespace"] = "lab";
  auto results = create_all(client, jobs, {.on_wait = [&](const std::string& why) { told.push_back(why); }});
  CHECK(told.size() == 1);
  CHECK(results[0].error.value().why.starts_with("the cluster could not call webhook \"a.b.c\""));
  for (const Creation& result : results) CHECK_FALSE(result.created);
}

}  // namespace create_test
