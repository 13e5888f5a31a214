#include "kml/job/why/why.h"

#include <doctest/doctest.h>

#include <sstream>

#include "job/tables/reports.h"
#include "job/why/objects.h"
#include "kml/base/files.h"
#include "support/fake_transport.h"

namespace why_test {

using namespace kml;
using namespace kml::test;

namespace {

const std::string kIn = "/api/v1/namespaces/lab/";

/// The first line of the verdict about this job, if the server has this job and pod.
std::string headline(const Json& job, const Json& pod, bool is_waiting = false) {
  FakeTransport transport;
  kube::Client client(transport, [](std::chrono::milliseconds) {});
  transport.answer("GET", "/apis/batch/v1/namespaces/lab/jobs/bert", job);
  transport.answer("GET", kIn + "pods", {{"items", Json::array({pod})}});
  const bool looks_at_node = !is_waiting && !bool_at(job, {"spec", "suspend"});
  if (const std::string node = string_at(pod, {"spec", "nodeName"}); looks_at_node)
    transport.answer("GET", "/api/v1/nodes/" + node, {{"metadata", {{"name", node}}}});
  for (int i = 0; i < (is_waiting ? 2 : 1); ++i)
    transport.answer("GET", kIn + "events", {{"items", Json::array()}});
  std::ostringstream out, err;
  Streams streams{.out = out, .err = err};
  ui::print_verdict(streams, job::why(client, "lab", "job/bert"));
  return out.str().substr(0, out.str().find('\n'));
}

}  // namespace

TEST_CASE("why: a running job is Running, even if its pods and its status were read at different moments") {
  Json job = test::make_job();
  job["status"] = {{"active", 1}, {"ready", 0}};
  CHECK(headline(job, on_node(make_pod(job), "node1")) == "job bert: Running");
  job["status"]["ready"] = 1;
  CHECK(headline(job, on_node(make_pod(job), "node1", "Succeeded")) == "job bert: Running");
}

TEST_CASE("why: a job that cannot start is reported as such, and a crashing job is not reported as waiting") {
  const Json job = test::make_job();
  CHECK(headline(job, waiting(make_pod(job), "InvalidImageName"), true) ==
        "job bert: cannot start until you change something");
  Json crashes = waiting(make_pod(job), "CrashLoopBackOff");
  crashes["status"]["phase"] = "Running";
  CHECK(headline(job, crashes, true) == "job bert: fails repeatedly");
  // A part of the job runs.
  Json two = job;
  two["spec"]["parallelism"] = 2;
  const auto partly = [&](const job::Cause& cause, int running) {
    job::Verdict verdict{.job = job::basic_view_of_job(two)};
    verdict.job.state = job::State::running;
    verdict.job.running = running;
    verdict.causes = {cause};
    std::ostringstream out, err;
    ui::print_verdict({.out = out, .err = err}, verdict);
    return out.str().substr(0, out.str().find('\n'));
  };
  CHECK(partly(job::make_cause(CauseCode::resources_held, "", ""), 1) ==
        "job bert: Running, 1 of 2 pods; the others are still waiting");
  CHECK(partly(job::make_cause(CauseCode::starting, "", ""), 1) ==
        "job bert: Running, 1 of 2 pods; the others will start soon");
  CHECK(partly(job::make_cause(CauseCode::too_large, "", ""), 1) ==
        "job bert: Running, 1 of 2 pods; the others cannot start until you change something");
  CHECK(partly(job::make_cause(CauseCode::running, "", ""), 1) == "job bert: Running");
  CHECK(partly(job::make_cause(CauseCode::crash_loop, "", ""), 1) == "job bert: fails repeatedly");
  // As in `kml list`, a failing job is shown as Running until its last pods have stopped.
  CHECK(partly(job::make_cause(CauseCode::failing, "", ""), 2) == "job bert: Running, but it will fail");
  Json suspended = job;
  suspended["spec"]["suspend"] = true;
  suspended["metadata"]["annotations"] = Json::object();
  CHECK(headline(suspended, on_node(make_pod(job), "node1")) == "job bert: Suspended");
}

TEST_CASE("why: of many Workloads, those that wait are counted, and a job that may start first is noticed") {
  const auto recorded = [](const std::string& file) {
    const std::string path = std::string(KML_SOURCE_DIR) + "/tests/recorded/kueue/" + file;
    return parse_json(read_file(path), path)["items"];
  };
  const auto named = [](const Json& items, const std::string& name) {
    for (const Json& item : items)
      if (item["metadata"]["name"] == name || (item["metadata"].contains("ownerReferences") &&
                                               item["metadata"]["ownerReferences"][0]["name"] == name))
        return item;
    return Json();
  };
  const Json jobs = recorded("1-jobs.json"), pending = recorded("1-pending.json"),
             queues = recorded("3-queues.json"), job = named(jobs, "wait1"), own = named(pending, "wait1");
  Json all = pending;
  constexpr int kBefore = 30;
  std::string message;
  SUBCASE("the jobs ahead can never start, so freeing enough quota helps this job") {
    message =
        "couldn't assign flavors to pod set main: insufficient quota for nvidia.com/gpu in flavor a100, "
        "request > "
        "maximum capacity (9 > 8)";
  }
  SUBCASE("a job ahead would take the freed quota") {}
  for (int i = 0; i < kBefore; ++i) {
    Json& one = all.emplace_back(own);
    const std::string name = "before-" + std::to_string(i);
    one["metadata"].update({{"name", name}, {"uid", name}, {"creationTimestamp", "2026-01-01T00:00:00Z"}});
    one["metadata"]["ownerReferences"][0].update({{"name", name}, {"uid", "job-" + name}});
    for (Json& condition : one["status"]["conditions"])
      if (condition["type"] == "QuotaReserved" && !message.empty())
        condition.update({{"reason", "ExceedsMaxQuota"}, {"message", message}});
  }
  const std::string kueue = "/apis/kueue.x-k8s.io/v1beta2/", here = kueue + "namespaces/default/";
  FakeTransport transport;
  kube::Client client(transport, [](std::chrono::milliseconds) {});
  const Json none = {{"items", Json::array()}};
  transport.answer("GET", "/apis/batch/v1/namespaces/default/jobs/wait1", job);
  transport.answer("GET", "/api/v1/namespaces/default/pods", none);
  transport.answer("GET", "/api/v1/namespaces/default/events", none);
  transport.answer("GET", "/apis/kueue.x-k8s.io", {{"preferredVersion", {{"version", "v1beta2"}}}});
  transport.answer("GET", here + "workloads", {{"items", Json::array({own})}});
  transport.answer("GET", kueue + "workloads", {{"items", all}});
  Json local, cluster;
  for (const Json& queue : queues) (queue["kind"] == "ClusterQueue" ? cluster : local) = queue;
  transport.answer("GET", kueue + "localqueues", {{"items", Json::array({local})}});
  transport.answer("GET", here + "localqueues/lq", local);
  transport.answer("GET", kueue + "clusterqueues/" + string_at(local, {"spec", "clusterQueue"}), cluster);
  transport.answer("GET", "/apis/batch/v1/namespaces/default/jobs/run1", named(jobs, "run1"));
  const job::Verdict verdict = job::why(client, "default", "job/wait1");
  const std::string& summary = verdict.causes[0].summary;
  CHECK_MESSAGE(summary.find("number 31 of 32 waiting in queue lq") != std::string::npos, summary);
  CHECK(verdict.causes[0].remedies.empty() == message.empty());
}

TEST_CASE("why: if the pods of a JobSet's Jobs are rejected, the events about these Jobs say why") {
  Json job = parse_json(R"({"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
    "metadata": {"name": "bert", "namespace": "lab", "uid": "set", "creationTimestamp": "2026-01-01T00:00:00Z"},
    "spec": {"replicatedJobs": [{"name": "node", "template": {"spec": {"template": {"spec": {"containers": []}}}}}]},
    "status": {"replicatedJobsStatus": [{"name": "node"}]}})",
                        "job");
  const Json inner = {
      {"metadata",
       {{"name", "bert-node-0"},
        {"namespace", "lab"},
        {"uid", "inner"},
        {"ownerReferences", controlled_by("bert", "set", "jobset.x-k8s.io/v1alpha2", "JobSet")}}}};
  const auto refused = [](const char* uid, const char* account) {
    return Json{
        {"involvedObject", {{"kind", "Job"}, {"uid", uid}}},
        {"reason", "FailedCreate"},
        {"message", std::string("Error creating: pods \"x\" is forbidden: error looking up service account "
                                "lab/") +
                        account + ": serviceaccount \"" + account + "\" not found"},
        {"lastTimestamp", "2026-01-01T00:01:00Z"}};
  };
  FakeTransport transport;
  kube::Client client(transport, [](std::chrono::milliseconds) {});
  transport.answer("GET", "/apis/jobset.x-k8s.io/v1alpha2/namespaces/lab/jobsets/bert", job);
  transport.answer("GET", kIn + "pods", {{"items", Json::array()}});
  transport.answer("GET", kIn + "events", {{"items", Json::array()}});
  transport.answer("GET", "/apis/batch/v1/namespaces/lab/jobs", {{"items", Json::array({inner})}});
  transport.answer("GET", kIn + "events",
                   {{"items", {refused("other", "mallory"), refused("inner", "robot")}}});
  const job::Verdict verdict = job::why(client, "lab", "jobset/bert");
  CHECK(verdict.causes[0].code == CauseCode::service_account_missing);
  CHECK(verdict.causes[0].brief == "no service account robot");
}

}  // namespace why_test
