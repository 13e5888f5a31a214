#include "kml/kube/objects/resource.h"

#include <doctest/doctest.h>

#include "kml/kube/objects/names.h"
#include "kml/kube/objects/status.h"

namespace resource_test {

using namespace kml;
using namespace kml::api;

TEST_CASE("resource: paths are those that the API server serves") {
  const ResourceKind* job = find_kind("batch/v1", "Job");
  REQUIRE(job);
  CHECK(job->path("research") == "/apis/batch/v1/namespaces/research/jobs");
  CHECK(job->path("") == "/apis/batch/v1/jobs");
  CHECK(job->path("research", "bert", "status") == "/apis/batch/v1/namespaces/research/jobs/bert/status");
  CHECK(find_kind("v1", "Node")->path("ignored", "n1") == "/api/v1/nodes/n1");
  CHECK(job->path("a/b", "../x") == "/apis/batch/v1/namespaces/a%2Fb/jobs/..%2Fx");
  CHECK_FALSE(find_kind("batch/v2", "Job"));
}

TEST_CASE("resource: kinds are found by the words that people type") {
  for (const char* word : {"po", "pods", "Pod"}) CHECK(find_kind_by_word(word) == find_kind("v1", "Pod"));
  CHECK(find_kind_by_word("pytorchjobs.kubeflow.org") == find_kind("kubeflow.org/v1", "PyTorchJob"));
  CHECK_FALSE(find_kind_by_word(""));
}

TEST_CASE(
    "names: Kubernetes' rules for names, labels and label values apply, and any text can become a valid "
    "name") {
  CHECK(dns_label_problem("mnist-demo-2").empty());
  for (const char* wrong : {"", "-a", "a-", "A", "a.b", "a_b"})
    CHECK_MESSAGE(!dns_label_problem(wrong).empty(), wrong);
  CHECK_FALSE(dns_label_problem(std::string(64, 'a')).empty());
  CHECK(dns_label_problem("7b").empty());
  CHECK(dns_1035_label_problem("7b") == "must start with a letter");
  CHECK(dns_1035_label_problem("b7").empty());
  CHECK_FALSE(dns_1035_label_problem("b_7").empty());
  CHECK(dns_subdomain_problem("a.b-c.d").empty());
  CHECK_FALSE(dns_subdomain_problem("a..b").empty());
  CHECK(label_key_problem("kml.dev/submit-id").empty());
  CHECK_FALSE(label_key_problem("Kml.dev/x").empty());
  CHECK_FALSE(label_key_problem("kml.dev/").empty());
  CHECK(label_value_problem("").empty());
  CHECK_FALSE(label_value_problem("-x").empty());
  CHECK(to_dns_label("My_Train Run!.py") == "my-train-run-py");
  CHECK(to_dns_label("___") == "job");
  CHECK(to_dns_label("aaa-bbb", 4) == "aaa");
}

TEST_CASE("status: the error for a missing right differs from that for a forbidden object") {
  const auto refused = [](const char* message) {
    return error_from_response("x", 403, failure_status(403, "Forbidden", message, {}).dump());
  };
  const Error user =
      refused("jobs.batch is forbidden: User \"eva\" cannot create resource \"jobs\" in API group \"batch\"");
  CHECK(user.code == ErrorCode::auth);
  CHECK(user.fix.starts_with("ask for this right"));
  for (const char* message :
       {"admission webhook \"a.b\" denied the request: no", "pods \"x\" is forbidden: exceeded quota: q",
        "pods \"x\" is forbidden: violates PodSecurity \"restricted:latest\""}) {
    CAPTURE(message);
    CHECK(refused(message).code == ErrorCode::failure);
    CHECK(refused(message).fix.starts_with("change the fields that the message names"));
  }
}

TEST_CASE("status: a webhook that the server could not call is named, with what to repair") {
  struct Row {
    const char *message, *why, *fix;
  };
  // The first three and the last are answers of Kubernetes 1.37.
  const Row table[] = {
      {"Internal error occurred: failed calling webhook \"a.b.c\": failed to call webhook: Post "
       "\"https://127.0.0.1:1/?timeout=1s\": dial tcp 127.0.0.1:1: connect: connection refused",
       "webhook \"a.b.c\": Post \"https://127.0.0.1:1/?timeout=1s\": dial tcp 127.0.0.1:1: connect",
       "its program must answer at https://127.0.0.1:1: "},
      {"Internal error occurred: failed calling webhook \"a.b.c\": failed to call webhook: Post "
       "\"https://s.ns.svc:443/x?timeout=9s\": no endpoints available for service \"s\"",
       "webhook \"a.b.c\": Post ", "service s in namespace ns must have a pod that answers"},
      {"Internal error occurred: failed calling webhook \"a.b.c\": failed to call webhook: the server "
       "rejected "
       "our request for an unknown reason",
       "webhook \"a.b.c\": the server rejected", "its program must answer: ask"},
      {"Internal error occurred: failed calling webhook \"a.b.c\"; no further details available",
       "webhook \"a.b.c\": no further details", "its program must answer: ask"},
      {"conversion webhook for x.io/v1, Kind=Job failed: Post \"https://s.ns.svc:443/?timeout=30s\": EOF",
       "webhook \"x.io/v1, Kind=Job\": Post ", "service s in namespace ns must"}};
  for (const Row& row : table) {
    CAPTURE(row.message);
    const Json details = {{"causes", {{{"message", "repeated"}}}}};
    const Error error =
        error_from_response("x", 500, failure_status(500, "InternalError", row.message, details).dump());
    CHECK(error.reason == kWebhookFailed);
    CHECK(error.problems.empty());
    CHECK(error.why.find(row.why) != std::string::npos);
    CHECK(error.fix.find(row.fix) != std::string::npos);
  }
  const Json denied = failure_status(500, "", "admission webhook \"a.b\" denied the request: no");
  CHECK(error_from_response("x", 500, denied.dump()).reason.empty());
}

TEST_CASE("status: a Status becomes a complete kml::Error") {
  Json status = failure_status(422, "Invalid", "Job.batch \"x\" is invalid",
                               {{"causes", {{{"field", "spec.template"}, {"message", "Required value"}}}}});
  Error error = error_from_response("cannot create job \"x\"", 422, status.dump());
  CHECK(error.code == ErrorCode::failure);
  CHECK(error.reason == "Invalid");
  CHECK(describe(error) ==
        "kml: error: cannot create job \"x\" (422)\n  spec.template: Required value\n  why: Job.batch \"x\" "
        "is invalid\n");
  CHECK(error_from_response("x", 403, "{}").code == ErrorCode::auth);
  CHECK(error_from_response("x", 500, std::string(5000, 'y')).why.size() == 2048);
}

}  // namespace resource_test
