#include "job/queue/queue.h"

#include <doctest/doctest.h>

#include "kml/base/files.h"
#include "kml/kube/objects/object.h"
#include "support/fake_transport.h"

namespace read_queue_test {

using namespace kml;
using namespace kml::job;

namespace {

const Json kNone = {{"items", Json::array()}};
const Json kForbidden = {
    {"kind", "Status"}, {"status", "Failure"}, {"reason", "Forbidden"}, {"message", "no"}};

Json recorded(const std::string& file) {
  return Json::parse(read_file(std::string(KML_SOURCE_DIR "/tests/recorded/kueue/") + file));
}
Json of_kind(const Json& list, const std::string& kind) {
  Json items = Json::array();
  for (const Json& item : list.at("items"))
    if (string_at(item, {"kind"}) == kind) items.push_back(item);
  return {{"items", items}};
}

/// Answers all list requests of read_queue(); `place` is "" or "/namespaces/lab".
void answer_lists(FakeTransport& transport, const std::string& place, const Json& jobs) {
  transport.answer("GET", "/api/v1" + place + "/pods", kNone);
  transport.answer("GET", "/apis/batch/v1" + place + "/jobs", jobs);
  for (const char* path : {"/apis/kubeflow.org/v1", "/apis/kubeflow.org/v2beta1",
                           "/apis/trainer.kubeflow.org/v1alpha1", "/apis/jobset.x-k8s.io/v1alpha2"}) {
    const std::string_view group = path;
    const char* plural = group.ends_with("v2beta1")    ? "/mpijobs"
                         : group.ends_with("v1alpha1") ? "/trainjobs"
                         : group.ends_with("v1alpha2") ? "/jobsets"
                                                       : "/pytorchjobs";
    transport.answer("GET", path + place + plural, kForbidden, 404);
  }
}

std::string order_of(JobQueue& queue) {
  std::string order;
  for (const QueueEntry* entry : queue.entries())
    order += (order.empty() ? "" : " ") + std::to_string(entry->position) + entry->job.name;
  return order;
}

}  // namespace

TEST_CASE("read queue: if only a namespace may be read, only that is read, and the missing parts are named") {
  const FakeTransport::Stub refusal{403, {kForbidden.dump()}};
  const Json job = {{"metadata", {{"name", "bert"}, {"namespace", "lab"}}}, {"spec", Json::object()}};
  FakeTransport transport;
  transport.stub("GET", "/api/v1/pods", refusal);
  transport.stub("GET", "/apis/batch/v1/jobs", refusal);
  for (const char* path :
       {"/apis/kubeflow.org/v1/pytorchjobs", "/apis/kubeflow.org/v2beta1/mpijobs",
        "/apis/trainer.kubeflow.org/v1alpha1/trainjobs", "/apis/jobset.x-k8s.io/v1alpha2/jobsets"})
    transport.stub("GET", path, refusal);
  for (const char* path : {"/apis/scheduling.k8s.io/v1/priorityclasses", "/api/v1/nodes"})
    for (int i = 0; i < 2; ++i) transport.stub("GET", path, refusal);
  answer_lists(transport, "/namespaces/lab", {{"items", Json::array({job})}});
  kube::Client client(transport);
  client.absent_kinds().set_all();
  QueueState state = read_queue(client, "lab");
  CHECK(state.only_namespace == "lab");
  CHECK(state.unseen == std::vector<std::string>{"priorityclasses", "nodes"});
  CHECK(order_of(state.queue) == "0bert");
}

TEST_CASE("read queue: Kueue's Workloads and positions are read if a job is in one of its queues") {
  FakeTransport transport;
  answer_lists(transport, "", recorded("1-jobs.json"));
  for (const char* path : {"/apis/scheduling.k8s.io/v1/priorityclasses", "/api/v1/nodes"})
    transport.answer("GET", path, kNone);
  const Json version = {{"preferredVersion", {{"version", "v1beta2"}}}};
  transport.answer("GET", "/apis/kueue.x-k8s.io", version);
  transport.answer("GET", "/apis/kueue.x-k8s.io/v1beta2/workloads", recorded("1-pending.json"));
  std::string expected;
  SUBCASE("by the visibility API, counted from 0") {
    transport.answer("GET", "/apis/kueue.x-k8s.io/v1beta2/localqueues",
                     of_kind(recorded("3-queues.json"), "LocalQueue"));
    transport.answer("GET", "/apis/visibility.kueue.x-k8s.io", version);
    const std::string queues = "/apis/visibility.kueue.x-k8s.io/v1beta2/namespaces/default/localqueues/";
    // Without a limit in the request, Kueue returns only the first 1,000 Workloads.
    transport.answer("GET", queues + "lq/pendingworkloads?limit=100000&offset=0",
                     {{"items",
                       {{{"metadata", {{"name", "job-never-ef7dd"}}}, {"positionInClusterQueue", 6}},
                        {{"metadata", {{"name", "job-wait1-b0fea"}}}, {"positionInClusterQueue", 2}}}}});
    transport.answer("GET", queues + "nope/pendingworkloads", kForbidden, 404);
    expected = "3wait1 0run1 0never 0noqueue";
  }
  SUBCASE("without that API, in the order of the Workloads") {
    transport.answer("GET", "/apis/kueue.x-k8s.io/v1beta2/localqueues", kForbidden, 403);
    transport.answer("GET", "/apis/visibility.kueue.x-k8s.io", kForbidden, 404);
    expected = "1wait1 0run1 0never 0noqueue";
  }
  kube::Client client(transport);
  client.absent_kinds().set_all();
  QueueState state = read_queue(client, "default");
  CHECK(order_of(state.queue) == expected);
  CHECK(state.unseen.size() == (expected == "1wait1 0run1 0never 0noqueue" ? 1 : 0));
}

TEST_CASE("read queue: in a cluster without Kueue, no job waits in a Kueue queue") {
  FakeTransport transport;
  answer_lists(transport, "", recorded("1-jobs.json"));
  for (const char* path : {"/apis/scheduling.k8s.io/v1/priorityclasses", "/api/v1/nodes"})
    transport.answer("GET", path, kNone);
  transport.stub("GET", "/apis/kueue.x-k8s.io", {.status = 404, .pieces = {"404 page not found\n"}});
  kube::Client client(transport);
  client.absent_kinds().set_all();
  QueueState state = read_queue(client, "lab");
  size_t held = 0;
  for (const QueueEntry* entry : state.queue.entries()) {
    if (!api::is_suspended(*entry->object)) continue;
    CAPTURE(entry->job.name);
    ++held;
    CHECK(entry->job.cause == "no Kueue for queue " + entry->queue);
    CHECK(entry->job.cause_code == CauseCode::queue_missing);
    CHECK(entry->job.cannot_start);
    CHECK(entry->position == 0);
  }
  CHECK(held > 0);
}

}  // namespace read_queue_test
