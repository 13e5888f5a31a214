#include "kml/job/views/find.h"

#include <doctest/doctest.h>

#include "support/fake_transport.h"

namespace find_test {

using namespace kml;
using namespace kml::job;

TEST_CASE("find_job: Jobs are found in a cluster without the training operator") {
  FakeTransport transport;
  kube::Client client(transport);
  transport.answer("GET", "/apis/batch/v1/namespaces/lab/jobs/bert",
                   {{"kind", "Job"}, {"metadata", {{"name", "bert"}}}});
  // For a path that no API group serves, the HTTP server answers without a Status.
  transport.stub("GET", "/apis/kubeflow.org/v1/namespaces/lab/pytorchjobs/bert",
                 {.status = 404, .pieces = {"404 page not found\n"}});
  CHECK(find_job(client, "lab", "bert")["kind"] == "Job");
}

TEST_CASE("find_job: if two kinds share a name, the fix has a command for each") {
  FakeTransport transport;
  kube::Client client(transport);
  transport.answer("GET", "/apis/batch/v1/namespaces/lab/jobs/bert",
                   {{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"metadata", {{"name", "bert"}}}});
  transport.answer(
      "GET", "/apis/kubeflow.org/v1/namespaces/lab/pytorchjobs/bert",
      {{"apiVersion", "kubeflow.org/v1"}, {"kind", "PyTorchJob"}, {"metadata", {{"name", "bert"}}}});
  try {
    find_job(client, "lab", "bert");
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.message == "both job/bert and pytorchjob/bert exist");
    CHECK(error.fix == "name the kind, as in `kml status job/bert` or `kml status pytorchjob/bert`");
  }
}

TEST_CASE("find_index: finds the Job and the index in a name such as lr-1-8, and nothing for other names") {
  FakeTransport transport;
  kube::Client client(transport);
  const Json indexed = {{"kind", "Job"},
                        {"metadata", {{"name", "lr-1"}}},
                        {"spec", {{"completionMode", "Indexed"}, {"completions", 9}}}};
  const std::string jobs = "/apis/batch/v1/namespaces/lab/jobs/";
  transport.answer("GET", jobs + "lr-1", indexed);
  const auto found = find_index(client, "lab", "lr-1-8");
  REQUIRE(found);
  CHECK(found->index == 8);
  CHECK(found->job["metadata"]["name"] == "lr-1");
  transport.answer("GET", jobs + "lr-1", indexed);
  CHECK_FALSE(find_index(client, "lab", "lr-1-9"));
  transport.answer("GET", jobs + "bert",
                   {{"kind", "Job"}, {"metadata", {{"name", "bert"}}}, {"spec", {{"completions", 9}}}});
  CHECK_FALSE(find_index(client, "lab", "bert-0"));
  for (const char* name : {"bert", "bert-", "bert-x", "bert-1x", "bert--1"}) {
    CAPTURE(name);
    if (std::string(name) == "bert--1")
      transport.answer("GET", jobs + "bert-", {{"kind", "Job"}, {"metadata", {{"name", "bert-"}}}});
    CHECK_FALSE(find_index(client, "lab", name));
  }
}

}  // namespace find_test
