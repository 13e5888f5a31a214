#include "kml/jobs/find.h"

#include <doctest/doctest.h>

#include "support/fake_transport.h"

using namespace kml;
using namespace kml::jobs;

TEST_CASE("find_job: a cluster without the training operator has Jobs all the same") {
  FakeTransport transport;
  kube::Client client(transport);
  transport.answer("GET", "/apis/batch/v1/namespaces/lab/jobs/bert",
                   {{"kind", "Job"}, {"metadata", {{"name", "bert"}}}});
  // A path that no API group serves is answered by the HTTP server, without a Status.
  transport.stub("GET", "/apis/kubeflow.org/v1/namespaces/lab/pytorchjobs/bert",
                 {.status = 404, .pieces = {"404 page not found\n"}});
  CHECK(find_job(client, "lab", "bert")["kind"] == "Job");
}
