#include <doctest/doctest.h>

#include "kml/job/submit/submit.h"
#include "support/fake_transport.h"

namespace unknown_fields_test {

using namespace kml;
using namespace kml::job;

namespace {

/// A plan whose second object has a field that kml takes for a misspelled one.
SubmitPlan plan() {
  SubmitPlan made;
  for (const char* name : {"a", "b"})
    made.objects.push_back(
        {{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"metadata", {{"name", name}, {"namespace", "lab"}}}});
  made.unknown_fields = {{1, {"job.yaml", 3, 5, "spec.template.spec.schedulingGroup", "no such field"}}};
  return made;
}

const std::string kDryRun =
    "/apis/batch/v1/namespaces/lab/jobs?fieldManager=kml&fieldValidation=Strict&dryRun=All";

}  // namespace

TEST_CASE(
    "unknown fields: the server reports them, with one request for each object that may have unknown "
    "fields") {
  FakeTransport transport;
  kube::Client client(transport);
  transport.stub("POST", kDryRun,
                 {.status = 201, .pieces = {R"({"kind": "Job", "apiVersion": "batch/v1"})"}});
  check_unknown_fields(client, plan());
  REQUIRE(transport.requests.size() == 1);
  CHECK(transport.requests[0].body.find("\"b\"") != std::string::npos);
  SubmitPlan known = plan();
  known.unknown_fields.clear();
  check_unknown_fields(client, known);
  CHECK(transport.requests.size() == 1);
}

TEST_CASE("unknown fields: if the server rejects the object, the position in the file is shown") {
  FakeTransport transport;
  kube::Client client(transport);
  transport.stub("POST", kDryRun,
                 {.status = 400, .pieces = {R"({"kind": "Status", "apiVersion": "v1", "status": "Failure",
      "reason": "BadRequest", "message": "strict decoding error: unknown field \"spec.template.spec.schedulingGroup\""})"}});
  try {
    check_unknown_fields(client, plan());
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code == ErrorCode::usage);
    REQUIRE(error.problems.size() == 1);
    CHECK(describe(error.problems[0]) == "job.yaml:3:5 spec.template.spec.schedulingGroup: no such field");
    CHECK(error.why.find("unknown field") != std::string::npos);
  }
}

TEST_CASE("unknown fields: a rejection for any other reason is left to the request that creates the object") {
  FakeTransport transport;
  kube::Client client(transport);
  transport.stub("POST", kDryRun,
                 {.status = 409, .pieces = {R"({"kind": "Status", "apiVersion": "v1", "status": "Failure",
      "reason": "AlreadyExists", "message": "jobs.batch \"b\" already exists"})"}});
  check_unknown_fields(client, plan());
}

}  // namespace unknown_fields_test
