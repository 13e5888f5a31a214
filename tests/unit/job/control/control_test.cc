#include "kml/job/control/control.h"

#include <doctest/doctest.h>

#include <functional>
#include <utility>
#include <vector>

#include "job/control/narration.h"
#include "kml/base/clock.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/resource.h"
#include "support/fake_transport.h"
#include "support/owner.h"

namespace control_test {

using namespace kml;
using namespace kml::job;

namespace {

constexpr const char* kKueue = "/apis/kueue.x-k8s.io";
constexpr const char* kWorkloads = "/apis/kueue.x-k8s.io/v1beta2/namespaces/lab/workloads";
constexpr const char* kPods = "/api/v1/namespaces/lab/pods";
const Json kGroup = {{"preferredVersion", {{"version", "v1beta2"}}}};

/// A job that Kueue holds in queue lq.
Json job_of(const std::string& version, const std::string& kind) {
  Json job = {{"apiVersion", version},
              {"kind", kind},
              {"metadata",
               {{"name", "bert"},
                {"namespace", "lab"},
                {"uid", "u1"},
                {"creationTimestamp", "2020-01-01T00:00:00Z"},
                {"labels", {{"kueue.x-k8s.io/queue-name", "lq"}}}}}};
  job["spec"] = version.starts_with("kubeflow.org/") ? Json{{"runPolicy", {{"suspend", true}}}}
                                                     : Json{{"suspend", true}};
  return job;
}

Json workload(bool active, const std::string& name = "job-bert-1") {
  return {{"apiVersion", "kueue.x-k8s.io/v1beta2"},
          {"kind", "Workload"},
          {"metadata",
           {{"name", name},
            {"namespace", "lab"},
            {"ownerReferences", {{{"kind", "Job"}, {"name", "bert"}, {"uid", "u1"}, {"controller", true}}}}}},
          {"spec", {{"active", active}, {"queueName", "lq"}}}};
}

Json list_of(std::vector<Json> items) {
  return {{"kind", "List"}, {"metadata", Json::object()}, {"items", std::move(items)}};
}

/// The bodies of the PATCH requests, by path.
std::vector<std::pair<std::string, Json>> patches(const FakeTransport& transport) {
  std::vector<std::pair<std::string, Json>> found;
  for (const http::Request& request : transport.requests)
    if (request.method == "PATCH")
      found.emplace_back(request.path.substr(0, request.path.find('?')), Json::parse(request.body));
  return found;
}

std::string path_of(const Json& job) {
  return api::kind_of(job)->path("lab", "bert");
}

void serve_workloads(FakeTransport& transport, const std::vector<Json>& items) {
  transport.answer("GET", kKueue, kGroup);
  transport.answer("GET", kWorkloads, list_of(items));
}

Error refused(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error;
  }
  FAIL("nothing was thrown");
  return Error(ErrorCode::failure, "");
}

constexpr std::pair<const char*, const char*> kKinds[] = {{"batch/v1", "Job"},
                                                          {"kubeflow.org/v1", "PyTorchJob"},
                                                          {"kubeflow.org/v2beta1", "MPIJob"},
                                                          {"jobset.x-k8s.io/v1alpha2", "JobSet"},
                                                          {"trainer.kubeflow.org/v1alpha1", "TrainJob"}};

}  // namespace

TEST_CASE("control: a job in Kueue's queue is held and released through its Workload, whatever its kind") {
  const std::string own = std::string(kWorkloads) + "/job-bert-1";
  const auto with_each_kind = [](const auto& check) {
    for (const auto& [version, kind] : kKinds) {
      CAPTURE(std::string(kind));
      FakeTransport transport;
      kube::Client client(transport);
      check(transport, client, job_of(version, kind));
    }
  };
  SUBCASE("cancel") {
    with_each_kind([&](FakeTransport& transport, kube::Client& client, const Json& job) {
      const std::string kind = api::kind_name(job);
      if (kind != "MPIJob" && kind != "TrainJob") transport.answer("GET", kPods, list_of({}));
      serve_workloads(transport, {workload(true)});
      transport.answer("PATCH", own, workload(false));
      transport.answer("PATCH", path_of(job), job);
      CHECK(cancel(client, job) == Cancel::by_queue);
      const auto sent = patches(transport);
      // The Workload is deactivated before the job is reported as cancelled.
      CHECK(sent.at(0).second == Json{{"spec", {{"active", false}}}});
      CHECK(sent.at(1).second["metadata"]["annotations"].contains("kml.dev/cancelled"));
      CHECK(sent.at(1).second.dump().find("suspend") == std::string::npos);  // Kueue would undo a suspension
    });
  }
  SUBCASE("suspend") {
    with_each_kind([&](FakeTransport& transport, kube::Client& client, const Json& job) {
      serve_workloads(transport, {workload(true)});
      transport.answer("PATCH", own, workload(false));
      suspend(client, job);
      CHECK(patches(transport).at(0).second == Json{{"spec", {{"active", false}}}});
    });
  }
  SUBCASE("resume a suspended job") {
    with_each_kind([&](FakeTransport& transport, kube::Client& client, const Json& job) {
      serve_workloads(transport, {workload(false)});
      transport.answer("PATCH", own, workload(true));
      CHECK(resume(client, job) == Resume::queued);
      CHECK(patches(transport).at(0).second == Json{{"spec", {{"active", true}}}});
    });
  }
  SUBCASE("resume a job that Kueue has given up, even if its Workload was activated since") {
    for (const bool active : {false, true})
      with_each_kind([&](FakeTransport& transport, kube::Client& client, const Json& job) {
        Json stuck = workload(active);
        stuck["status"]["conditions"] = {
            {{"type", "Requeued"}, {"status", "False"}, {"reason", "DeactivatedDueToAdmissionCheck"}}};
        serve_workloads(transport, {stuck});
        transport.answer("DELETE", own, stuck);
        CHECK(resume(client, job) == Resume::queued);
        CHECK(transport.requests.back().method == "DELETE");
      });
  }
  SUBCASE("resume a job that is only waiting") {
    with_each_kind([&](FakeTransport& transport, kube::Client& client, const Json& job) {
      serve_workloads(transport, {workload(true)});
      CHECK(resume(client, job) == Resume::waits);
      CHECK(patches(transport).empty());
    });
  }
  SUBCASE("resume in a cluster without Kueue") {
    with_each_kind([&](FakeTransport& transport, kube::Client& client, const Json& job) {
      transport.answer("GET", kKueue, {{"kind", "Status"}, {"code", 404}}, 404);
      transport.answer("PATCH", path_of(job), job);
      CHECK(resume(client, job) == Resume::done);
    });
  }
}

TEST_CASE("control: a job that ended just before it was marked as cancelled is not cancelled") {
  for (const auto& [version, kind] : kKinds) {
    CAPTURE(std::string(kind));
    FakeTransport transport;
    kube::Client client(transport);
    Json job = job_of(version, kind);
    job["metadata"].erase("labels");
    Json ended = job;
    ended["metadata"]["annotations"]["kml.dev/cancelled"] = "2026-01-01T00:00:00Z";
    ended["status"]["conditions"] = {{{"type", "Failed"}, {"status", "True"}}};
    if (std::string(kind) != "MPIJob" && std::string(kind) != "TrainJob")
      transport.answer("GET", kPods, list_of({}));
    for (int i = 0; i < 2; ++i) transport.answer("PATCH", path_of(job), ended);
    CHECK(cancel(client, job) == Cancel::ended);
    const auto sent = patches(transport);
    REQUIRE(sent.size() == 2);
    CHECK(sent[1].second == Json{{"metadata", {{"annotations", {{"kml.dev/cancelled", nullptr}}}}}});
  }
}

TEST_CASE("control: a job is suspended if the user may not change its pods") {
  for (const auto& [version, kind] : kKinds) {
    if (std::string(kind) != "Job" && std::string(kind) != "PyTorchJob")
      continue;  // others are suspended anyway
    CAPTURE(std::string(kind));
    Json job = job_of(version, kind);
    job["metadata"].erase("labels");
    Json pod = {{"metadata",
                 {{"name", "bert-0"},
                  {"namespace", "lab"},
                  {"ownerReferences", controlled_by("bert", "u1", version, kind)}}},
                {"status", {{"phase", "Running"}}}};
    FakeTransport transport;
    kube::Client client(transport);
    transport.answer("GET", kPods, list_of({pod}));
    for (int i = 0; i < 2; ++i) transport.answer("PATCH", path_of(job), job);
    const Json forbidden = {{"kind", "Status"}, {"code", 403}, {"message", "pods \"bert-0\" is forbidden"}};
    for (int i = 0; i < 2; ++i) transport.answer("PATCH", std::string(kPods) + "/bert-0", forbidden, 403);
    CHECK(cancel(client, job) == Cancel::without_logs);
    CHECK(patches(transport).back().second == run_policy_patch(job, {{"suspend", true}}));
  }
}

TEST_CASE("control: kml tells which pods it cannot stop, because their nodes do not answer") {
  const Json conditions = {{{"type", "Ready"}, {"status", "False"}},
                           {{"type", "ContainersReady"}, {"status", "True"}}};
  for (const auto& [version, kind] : kKinds)
    for (const bool is_lost : {true, false})
      for (const bool is_stopping : {true, false}) {
        if (kind == std::string("TrainJob")) continue;  // its pods belong to its JobSet
        CAPTURE(std::string(kind));
        CAPTURE(is_stopping);
        CAPTURE(is_lost);
        Json job = job_of(version, kind);
        job["metadata"].erase("labels");
        api::set_annotation(job, "kml.dev/cancelled", "2026-01-01T00:00:00Z");  // an earlier cancel
        Json pod = {{"metadata",
                     {{"name", "bert-0"},
                      {"namespace", "lab"},
                      {"ownerReferences", controlled_by("bert", "u1", version, kind)}}},
                    {"status", {{"phase", "Running"}}}};
        if (is_lost) pod["status"]["conditions"] = conditions;
        if (is_stopping) pod["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
        FakeTransport transport;
        kube::Client client(transport);
        transport.answer("GET", kPods, list_of({pod}));
        transport.answer("PATCH", path_of(job), job);
        const bool ends_pods = !is_stopping && !is_lost && kind != std::string("MPIJob");
        for (int i = 0; ends_pods && i < 2; ++i)
          transport.answer("PATCH", std::string(kPods) + "/bert-0", pod);
        std::vector<std::string> lost;
        const Cancel result =
            cancel(client, job, [&](const Json& each) { lost.push_back(api::name_of(each)); });
        CHECK(lost == (is_lost ? std::vector<std::string>{"bert-0"} : std::vector<std::string>{}));
        if (!is_lost) continue;
        CHECK(result == Cancel::again);
        // The job must not replace the pod once the cluster has deleted it.
        CHECK(patches(transport).back().second.dump().find("\"suspend\":true") != std::string::npos);
      }
}

TEST_CASE("control: a cancelled job does not start again, even if its preempted pods were still stopping") {
  Json job = job_of("batch/v1", "Job");
  Json pod = {{"metadata",
               {{"name", "bert-0"},
                {"namespace", "lab"},
                {"deletionTimestamp", "2026-01-01T00:00:00Z"},
                {"ownerReferences", controlled_by("bert", "u1")}}},
              {"status", {{"phase", "Running"}}}};
  SUBCASE("Kueue has already suspended the job") {}
  SUBCASE("the job's pods are deleted first") {
    job["spec"]["suspend"] = false;
  }
  FakeTransport transport;
  kube::Client client(transport);
  transport.answer("GET", kPods, list_of({pod}));
  serve_workloads(transport, {workload(true)});
  transport.answer("PATCH", std::string(kWorkloads) + "/job-bert-1", workload(false));
  transport.answer("PATCH", path_of(job), job);
  CHECK(cancel(client, job) == Cancel::by_queue);
  CHECK(patches(transport).at(0).second == Json{{"spec", {{"active", false}}}});
}

TEST_CASE("control: kml waits for the Workload of a job that was just submitted") {
  Json job = job_of("batch/v1", "Job");
  job["metadata"]["creationTimestamp"] = rfc3339(system_clock().now());
  FakeTransport transport;
  kube::Client client(transport);
  transport.answer("GET", kKueue, kGroup);
  transport.answer("GET", kWorkloads, list_of({}));
  transport.answer("GET", kWorkloads, list_of({}));
  transport.answer("GET", kWorkloads, list_of({workload(true)}));
  transport.answer("PATCH", std::string(kWorkloads) + "/job-bert-1", workload(false));
  suspend(client, job);
  CHECK(patches(transport).size() == 1);
}

TEST_CASE("control: a job that Kueue could still start is not reported as cancelled") {
  const Json job = job_of("batch/v1", "Job");
  const Json forbidden = {{"kind", "Status"}, {"code", 403}, {"reason", "Forbidden"}, {"message", "no"}};
  FakeTransport transport;
  kube::Client client(transport);
  transport.answer("GET", kPods, list_of({}));
  transport.answer("GET", kKueue, kGroup);
  SUBCASE("the job has no Workload yet") {
    transport.answer("GET", kWorkloads, list_of({}));
    CHECK(refused([&] { cancel(client, job); }).fix == "try again, or remove it: kml delete bert");
  }
  SUBCASE("the job's Workload cannot be read") {
    transport.answer("GET", kWorkloads, forbidden, 403);
    CHECK(refused([&] { cancel(client, job); }).code == ErrorCode::auth);
  }
  SUBCASE("the job's Workload cannot be changed") {
    transport.answer("GET", kWorkloads, list_of({workload(true)}));
    transport.answer("PATCH", std::string(kWorkloads) + "/job-bert-1", forbidden, 403);
    const Error error = refused([&] { cancel(client, job); });
    CHECK(error.message == "job bert stays as it is: queue lq decides whether it runs");
    CHECK(error.fix.starts_with("`kml delete bert` removes it"));
  }
  CHECK(transport.requests.back().path.find("/jobs/") == std::string::npos);  // no object was marked
}

TEST_CASE("control: wait_until_stopped() returns when all remaining pods are stopping") {
  const Json job = job_of("batch/v1", "Job");
  Json running = job, stopped = job;
  running["spec"]["suspend"] = false;
  const Json pod = {
      {"metadata",
       {{"name", "bert-0"}, {"namespace", "lab"}, {"ownerReferences", controlled_by("bert", "u1")}}},
      {"status", {{"phase", "Running"}}}};
  Json leaving = pod;
  leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  FakeTransport transport;
  kube::Client client(transport);
  for (const auto& [now, pods] :
       {std::pair(running, std::vector<Json>{pod}), std::pair(stopped, std::vector<Json>{pod}),
        std::pair(stopped, std::vector<Json>{leaving})}) {
    transport.answer("GET", path_of(job), now);
    transport.answer("GET", kPods, list_of(pods));
  }
  // The transport's destructor reports stubbed responses that were not requested.
  wait_until_stopped(client, job);
}

TEST_CASE("control: a suspended job that waits for others stays suspended, and waits again once resumed") {
  for (const auto& [version, kind] : {kKinds[0], kKinds[1]}) {
    CAPTURE(std::string(kind));
    Json job = job_of(version, kind);
    job["metadata"].erase("labels");
    const auto change_of = [&](const auto& act) {
      FakeTransport transport;
      kube::Client client(transport);
      transport.answer("PATCH", path_of(job), job);
      act(client);
      return patches(transport).at(0).second;
    };
    const auto annotation = [](const Json& change, const char* name) {
      return find(change, {"metadata", "annotations", name});
    };
    const auto suspended = [&](kube::Client& client) { suspend(client, job); };
    CHECK(!annotation(change_of(suspended), "kml.dev/held"));
    job["metadata"]["annotations"]["kml.dev/after"] = "[]";
    CHECK(annotation(change_of(suspended), "kml.dev/held"));
    job["metadata"]["annotations"]["kml.dev/held"] = "2026-01-01T00:00:00Z";
    const Json again = change_of([&](kube::Client& client) { CHECK(resume(client, job) == Resume::after); });
    CHECK(annotation(again, "kml.dev/held")->is_null());
    CHECK(!annotation(again, "kml.dev/after"));
    CHECK(!again.contains("spec"));
    // If either annotation is missing, a resume starts the job.
    for (const char* mark : {"kml.dev/held", "kml.dev/after"}) {
      Json kept = job;
      job["metadata"]["annotations"].erase(mark);
      const Json now = change_of([&](kube::Client& client) { CHECK(resume(client, job) == Resume::done); });
      CHECK(now.contains("spec"));
      CHECK(now["metadata"]["annotations"].size() == 1);
      job = kept;
    }
  }
}

TEST_CASE("wait: a job whose attempts are used up does not wait for another attempt") {
  JobView job;
  job.name = "bert";
  job.cause = "exit code 1";
  job.cause_code = CauseCode::failing;
  CHECK(Narration().next(job).empty());
  job.cause_code = CauseCode::backoff;
  CHECK(Narration().next(job) == "bert waits: exit code 1");
}

}  // namespace control_test
