#include "kml/job/why/kueue_check.h"

#include <doctest/doctest.h>

#include "kml/job/why/why.h"
#include "support/fake_transport.h"

namespace kueue_check_test {

using namespace kml;
using namespace kml::job;

namespace {

constexpr const char* kKueue = "/apis/kueue.x-k8s.io";

Json job_with(bool suspended, const Json& labels) {
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", {{"name", "bert"}, {"namespace", "lab"}, {"uid", "u1"}, {"labels", labels}}},
          {"spec", {{"suspend", suspended}}}};
}

const Json kHeld = job_with(true, {{"kueue.x-k8s.io/queue-name", "lq"}});

}  // namespace

TEST_CASE("why: a job waits for a queue only if the cluster has Kueue, which is asked once") {
  struct Row {
    int status;
    const char* cause;
  };
  for (const Row& row :
       {Row{404, "no Kueue for queue lq"}, {200, "waits in queue lq"}, {403, "waits in queue lq"}}) {
    CAPTURE(row.status);
    FakeTransport transport;
    kube::Client client(transport);
    transport.answer("GET", kKueue, Json{{"preferredVersion", {{"version", "v1beta2"}}}}, row.status);
    KueueCheck check(client);
    for (int look = 0; look < 2; ++look) {
      JobView view = view_of_job(kHeld);
      check.correct(kHeld, view);
      CHECK(view.cause == row.cause);
    }
    CHECK(transport.requests.size() == 1);
  }
}

TEST_CASE("why: Kueue is not asked about a job that no queue holds") {
  FakeTransport transport;
  kube::Client client(transport);
  KueueCheck check(client);
  for (const Json& job :
       {job_with(true, Json::object()), job_with(false, {{"kueue.x-k8s.io/queue-name", "lq"}})}) {
    JobView view = view_of_job(job);
    const std::string before = view.cause;
    check.correct(job, view);
    CHECK(view.cause == before);
  }
  CHECK(transport.requests.empty());
}

}  // namespace kueue_check_test
