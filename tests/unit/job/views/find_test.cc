#include "kml/job/views/find.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "support/fake_transport.h"

namespace find_test {

using namespace kml;
using namespace kml::job;

namespace {

struct KindOfJob {
  const char *version, *kind, *plural;

  std::string path() const { return std::string("/apis/") + version + "/namespaces/lab/" + plural + "/bert"; }
  Json job() const { return {{"apiVersion", version}, {"kind", kind}, {"metadata", {{"name", "bert"}}}}; }
};

const KindOfJob kKinds[] = {{"batch/v1", "Job", "jobs"},
                            {"kubeflow.org/v1", "PyTorchJob", "pytorchjobs"},
                            {"kubeflow.org/v2beta1", "MPIJob", "mpijobs"},
                            {"trainer.kubeflow.org/v1alpha1", "TrainJob", "trainjobs"},
                            {"jobset.x-k8s.io/v1alpha2", "JobSet", "jobsets"}};

/// A server that has jobs of these kinds, all called "bert", and no described kinds.
struct Server {
  explicit Server(const std::vector<std::string>& kinds) {
    client.absent_kinds().set_all();
    for (const KindOfJob& kind : kKinds)
      if (std::find(kinds.begin(), kinds.end(), kind.kind) != kinds.end())
        transport.answer("GET", kind.path(), kind.job());
      else
        transport.answer("GET", kind.path(), {{"kind", "Status"}, {"reason", "NotFound"}}, 404);
  }

  FakeTransport transport;
  kube::Client client{transport};
};

}  // namespace

TEST_CASE("find_job: Jobs are found in a cluster without the training operator") {
  FakeTransport transport;
  kube::Client client(transport);
  client.absent_kinds().set_all();
  transport.answer("GET", kKinds[0].path(), kKinds[0].job());
  // For a path that no API group serves, the HTTP server answers without a Status.
  for (size_t i = 1; i < std::size(kKinds); ++i)
    transport.stub("GET", kKinds[i].path(), {.status = 404, .pieces = {"404 page not found\n"}});
  CHECK(find_job(client, "lab", "bert")["kind"] == "Job");
}

TEST_CASE("find_job: if jobs of two kinds share a name, the error names both, with a command for each") {
  struct Row {
    std::vector<std::string> kinds;
    std::string message, fix;
  };
  for (const Row& row : {Row{{"Job", "PyTorchJob"},
                             "both job/bert and pytorchjob/bert exist",
                             "`kml status job/bert` or `kml status pytorchjob/bert`"},
                         Row{{"Job", "MPIJob"},
                             "both job/bert and mpijob/bert exist",
                             "`kml status job/bert` or `kml status mpijob/bert`"},
                         Row{{"PyTorchJob", "JobSet"},
                             "both pytorchjob/bert and jobset/bert exist",
                             "`kml status pytorchjob/bert` or `kml status jobset/bert`"},
                         Row{{"MPIJob", "TrainJob"},
                             "both mpijob/bert and trainjob/bert exist",
                             "`kml status mpijob/bert` or `kml status trainjob/bert`"}}) {
    CAPTURE(row.message);
    Server server(row.kinds);
    try {
      find_job(server.client, "lab", "bert");
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.message == row.message);
      CHECK(error.fix == "name the kind, as in " + row.fix);
    }
  }
  for (const KindOfJob& kind : kKinds) {
    Server server({kind.kind});
    CHECK(find_job(server.client, "lab", "bert")["kind"] == kind.kind);
  }
}

TEST_CASE("find_job: a kind that the server cannot read does not hide a job of another kind") {
  FakeTransport transport;
  kube::Client client(transport);
  client.absent_kinds().set_all();
  transport.answer("GET", kKinds[0].path(), kKinds[0].job());
  transport.answer("GET", kKinds[1].path(), {{"kind", "Status"}, {"reason", "NotFound"}}, 404);
  for (size_t i = 2; i < std::size(kKinds); ++i)
    transport.answer("GET", kKinds[i].path(), {{"kind", "Status"}, {"message", "conversion failed"}}, 400);
  CHECK(find_job(client, "lab", "bert")["kind"] == "Job");
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
