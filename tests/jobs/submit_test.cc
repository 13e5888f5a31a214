#include "kml/jobs/submit.h"

#include <doctest/doctest.h>

#include "support/fake_transport.h"

using namespace kml;
using namespace kml::jobs;

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

TEST_CASE("submit: an answer that got lost is looked up, and the own object taken for success") {
  FakeTransport transport;
  kube::Client client(transport);
  transport.stub("POST", kJobs, FakeTransport::break_connection());
  transport.answer("GET", std::string(kJobs) + "/bert", job("bert", "mine"));
  CHECK(create_once(client, "lab", job("bert", "mine"))["metadata"]["name"] == "bert");
  CHECK(posts(transport) == 1);
}

TEST_CASE("submit: a request that never arrived is sent again") {
  FakeTransport transport;
  kube::Client client(transport);
  transport.stub("POST", kJobs, FakeTransport::break_connection());
  transport.answer("GET", std::string(kJobs) + "/bert", status(404, "NotFound"), 404);
  transport.answer("POST", kJobs, job("bert", "mine"), 201);
  create_once(client, "lab", job("bert", "mine"));
  CHECK(posts(transport) == 2);
}

TEST_CASE("submit: the own object that a second request meets is a success, somebody else's is not") {
  FakeTransport transport;
  kube::Client client(transport);
  transport.answer("POST", kJobs, status(409, "AlreadyExists"), 409);
  SUBCASE("own") {
    transport.answer("GET", std::string(kJobs) + "/bert", job("bert", "mine"));
    CHECK(create_once(client, "lab", job("bert", "mine"))["metadata"]["name"] == "bert");
  }
  SUBCASE("somebody else's") {
    transport.answer("GET", std::string(kJobs) + "/bert", job("bert", "theirs"));
    CHECK_THROWS_WITH(create_once(client, "lab", job("bert", "mine")),
                      "Job \"bert\" exists already in namespace lab");
  }
}

TEST_CASE("submit: a refusal is not tried again") {
  FakeTransport transport;
  kube::Client client(transport);
  transport.answer("POST", kJobs, status(403, "Forbidden"), 403);
  CHECK_THROWS_AS(create_once(client, "lab", job("bert", "mine")), Error);
  CHECK(posts(transport) == 1);
}

TEST_CASE("submit: jobs get a drawn name and marks, other objects need a name of their own") {
  Marks marks = new_marks("Ana Maria", "train", {"python", "train it.py"});
  Json unnamed = {{"apiVersion", "batch/v1"}, {"kind", "Job"}};
  Json generated = {{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"metadata", {{"generateName", "sweep-"}}}};
  std::vector<Json> sent = marked({unnamed, generated}, marks);
  CHECK(base_of_drawn_name(sent[0]["metadata"]["name"]) == "train");
  CHECK(base_of_drawn_name(sent[1]["metadata"]["name"]) == "sweep");
  CHECK_FALSE(sent[1]["metadata"].contains("generateName"));
  CHECK(sent[0]["metadata"]["labels"]["kml.dev/user"] == "ana-maria");
  CHECK(sent[0]["metadata"]["labels"]["kml.dev/submit-id"] == marks.submit_id);
  CHECK(sent[0]["metadata"]["annotations"]["kml.dev/command"] == "python 'train it.py'");
  Json settings = {{"apiVersion", "v1"}, {"kind", "ConfigMap"}};
  CHECK_THROWS_AS(marked({settings}, marks), Error);
}

TEST_CASE("submit: only a drawn suffix is taken off a name") {
  CHECK(base_of_drawn_name("train-x7f2q") == "train");
  CHECK(base_of_drawn_name("train-large") == "train-large");
  CHECK(base_of_drawn_name("x7f2q") == "x7f2q");
  CHECK(drawn_name(std::string(80, 'a')).size() == 63);
}
