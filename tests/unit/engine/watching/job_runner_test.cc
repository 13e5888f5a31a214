#include "kml/engine/watching/job_runner.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "kml/kube/objects/object.h"
#include "support/fake_transport.h"
#include "support/owner.h"

namespace kml::engine::job_runner_test {

namespace {

using engine::JobReport;

const std::string kJobs = "/apis/batch/v1/namespaces/team/jobs";
const std::string kJobSets = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/team/jobsets";
const std::string kPods = "/api/v1/namespaces/team/pods";

Json object_of(const char* version, const char* kind, const std::string& name) {
  return {{"apiVersion", version},
          {"kind", kind},
          {"metadata",
           {{"name", name},
            {"namespace", "team"},
            {"uid", "uid of " + name},
            {"resourceVersion", "1"},
            {"labels", {{"kml.dev/submit-id", "id"}}}}},
          {"spec", Json::object()}};
}

Json job(const std::string& name) {
  Json job = object_of("batch/v1", "Job", name);
  job["spec"]["template"]["spec"]["containers"] = Json::array({{{"name", "main"}}});
  return job;
}

Json job_set(const std::string& name) {
  return object_of("jobset.x-k8s.io/v1alpha2", "JobSet", name);
}

Json refusal(int code, const char* reason, const std::string& message) {
  return {
      {"kind", "Status"}, {"status", "Failure"}, {"reason", reason}, {"code", code}, {"message", message}};
}

const Json kFull = refusal(403, "Forbidden",
                           "jobs.batch \"a\" is forbidden: exceeded quota: few, requested: "
                           "count/jobs.batch=1, used: count/jobs.batch=5, limited: count/jobs.batch=5");

const Json kNoRoomForPods = {
    {"reason", "FailedCreate"},
    {"type", "Warning"},
    {"involvedObject", {{"kind", "Job"}, {"name", "a"}, {"uid", "uid of a"}}},
    {"message",
     "pods \"a-x\" is forbidden: exceeded quota: few, requested: pods=1, used: pods=5, limited: pods=5"}};

/// An engine with jobs of label "run=p" in namespace "team". The server's watches report no changes.
struct Runner {
  Runner() {
    WatchOptions options{.label_selector = "run=p",
                         .submit_id = "id",
                         .namespace_name = "team",
                         .taken = {"this pipeline", "its steps need that name", "rename the step"},
                         .reads_logs = false};
    runner = make_job_runner(client, options, interrupt);
  }

  void serve(const std::string& path, const std::vector<Json>& items = {}) {
    transport.answer("GET", path, {{"metadata", {{"resourceVersion", "1"}}}, {"items", items}});
    transport.stub("GET", path, {.stays_open = true});
  }

  /// Answers the requests that find out why a Job without pods waits.
  void serve_looks_into(const Json& job, const Json& events) {
    const std::string name = api::name_of(job), all = "&limit=500";
    transport.answer("GET", kJobs + "/" + name, job);
    transport.answer("GET", "/apis/kubeflow.org/v1/namespaces/team/pytorchjobs/" + name,
                     refusal(404, "NotFound", "not found"), 404);
    transport.answer("GET", kPods + "?labelSelector=job-name%3D" + name + all, {{"items", Json::array()}});
    transport.answer("GET",
                     "/api/v1/namespaces/team/events?fieldSelector=involvedObject.name%3D" + name + all,
                     {{"items", events}});
  }

  std::vector<JobReport> told_in(int seconds) {
    std::vector<JobReport> told;
    for (int i = 0; i < seconds; ++i)
      for (JobReport& report : runner->wait(std::chrono::seconds(1))) told.push_back(std::move(report));
    return told;
  }

  size_t requests(const std::string& method, const std::string& path) const {
    return static_cast<size_t>(std::count_if(
        transport.requests.begin(), transport.requests.end(),
        [&](const auto& request) { return request.method == method && request.path.starts_with(path); }));
  }

  size_t watches_of(const std::string& path) const {
    return static_cast<size_t>(
        std::count_if(transport.requests.begin(), transport.requests.end(), [&](const auto& request) {
          return request.path.starts_with(path + "?") && request.path.find("watch=") != std::string::npos &&
                 request.path.find("sendInitialEvents") == std::string::npos;
        }));
  }

  FakeTransport transport;
  kube::Client client{transport};
  const job::Interrupt interrupt;
  std::unique_ptr<JobRunner> runner;
};

std::vector<std::string> jobs_told(const std::vector<JobReport>& told, JobReport::Kind kind) {
  std::vector<std::string> jobs;
  for (const JobReport& report : told)
    if (report.kind == kind) jobs.push_back(report.job);
  return jobs;
}

}  // namespace

TEST_CASE_FIXTURE(Runner, "job runner: each kind of job is watched once, and its pods once") {
  serve(kJobs);
  serve(kPods);
  serve(kJobSets);
  transport.answer("POST", kJobs, job("a"));
  transport.answer("POST", kJobSets, job_set("b"));
  transport.answer("POST", kJobSets, job_set("c"));
  runner->start({job("a"), job_set("b")});
  runner->start({job_set("c")});
  told_in(3);
  for (const std::string& path : {kJobs, kJobSets, kPods}) {
    CAPTURE(path);
    CHECK(watches_of(path) == 1);
  }
  for (const http::Request& request : transport.requests)
    if (request.method == "GET") CHECK(request.path.find("labelSelector=run%3Dp") != std::string::npos);
}

TEST_CASE_FIXTURE(Runner, "job runner: the end of a job is reported, whatever its kind") {
  Json succeeded = job("a"), failed = job_set("b");
  succeeded["status"] = {{"succeeded", 1}, {"conditions", {{{"type", "Complete"}, {"status", "True"}}}}};
  failed["status"] = {{"conditions", {{{"type", "Failed"}, {"status", "True"}}}}};
  transport.answer("POST", kJobs, succeeded);
  transport.answer("POST", kJobSets, failed);
  for (const char* labels : {"job-name%3Da", "jobset.sigs.k8s.io%2Fjobset-name%3Db"})
    transport.answer("GET", kPods + "?labelSelector=" + labels + "&limit=500", {{"items", Json::array()}});
  serve(kJobs, {succeeded});
  serve(kPods);
  serve(kJobSets, {failed});
  runner->start({job("a"), job_set("b")});
  const std::vector<JobReport> told = told_in(2);
  REQUIRE(jobs_told(told, JobReport::Kind::ended) == std::vector<std::string>{"a", "b"});
  CHECK(told[0].succeeded);
  CHECK_FALSE(told[1].succeeded);
}

TEST_CASE_FIXTURE(Runner, "job runner: a full quota for one kind of job does not hold back another") {
  serve(kJobs);
  serve(kPods);
  serve(kJobSets);
  transport.answer("POST", kJobs, kFull, 403);
  transport.answer("POST", kJobSets, job_set("b"));
  runner->start({job("a"), job_set("b")});
  CHECK(requests("POST", kJobSets) == 1);
  const std::vector<JobReport> told = runner->wait(std::chrono::milliseconds(0));
  CHECK(jobs_told(told, JobReport::Kind::waiting) == std::vector<std::string>{"a"});
  transport.answer("POST", kJobs, job("a"));
  told_in(2);
  CHECK(requests("POST", kJobs) == 2);
}

TEST_CASE_FIXTURE(Runner, "job runner: a job whose creation failed is created again, whatever its kind") {
  serve(kJobs, {job("b")});
  serve(kPods);
  serve(kJobSets);
  transport.stub("POST", kJobSets, FakeTransport::break_connection());
  transport.answer("POST", kJobs, job("a"));
  transport.answer("POST", kJobSets, job_set("b"));
  runner->start({job_set("b"), job("a")});
  told_in(3);
  CHECK(requests("POST", kJobSets) == 2);
}

TEST_CASE_FIXTURE(Runner, "job runner: a job that waits to be created can be stopped, whatever its kind") {
  serve(kJobs);
  serve(kPods);
  serve(kJobSets);
  transport.answer("POST", kJobs, job("a"));
  transport.stub("POST", kJobSets, FakeTransport::break_connection());
  runner->start({job("a"), job_set("b")});
  runner->stop("b");
  transport.answer("GET", kJobSets + "/b", refusal(404, "NotFound", "not found"), 404);
  CHECK(jobs_told(told_in(3), JobReport::Kind::ended) == std::vector<std::string>{"b"});
}

TEST_CASE_FIXTURE(
    Runner, "job runner: another user's job with the same name is reported in the words of the engine") {
  Json stranger = job("a");
  stranger["metadata"]["labels"] = {{"kml.dev/submit-id", "another"}};
  transport.answer("POST", kJobs, refusal(409, "AlreadyExists", "already exists"), 409);
  transport.answer("GET", kJobs + "/a", stranger);
  try {
    runner->start({job("a")});
    FAIL("it was taken over");
  } catch (const Error& error) {
    CHECK(error.message == "job a already exists and does not belong to this pipeline");
    CHECK(error.why == "its steps need that name");
    CHECK(error.fix == "rename the step, or `kml delete a`");
  }
}

TEST_CASE_FIXTURE(Runner, "job runner: a job whose node does not answer waits for the node") {
  Json pod = {{"metadata", {{"name", "a-0"}, {"namespace", "team"}, {"uid", "uid of a-0"}}},
              {"spec", {{"nodeName", "node1"}}},
              {"status", {{"phase", "Running"}, {"startTime", "2026-11-20T08:00:00Z"}}}};
  pod["metadata"]["labels"]["job-name"] = "a";
  pod["metadata"]["ownerReferences"] = controlled_by("a", "uid of a");
  pod["spec"]["containers"] = Json::array({{{"name", "main"}}});
  pod["status"]["conditions"] = Json::array({{{"type", "Ready"}, {"status", "False"}}});
  serve(kJobs);
  serve(kPods, {pod});
  transport.answer("POST", kJobs, job("a"));
  runner->start({job("a")});
  const std::vector<JobReport> told = told_in(3);
  CHECK(jobs_told(told, JobReport::Kind::running).empty());
  REQUIRE(!told.empty());
  CHECK(told.back().kind == JobReport::Kind::waiting);
  CHECK(told.back().cause == "node node1 does not answer");
}

TEST_CASE_FIXTURE(Runner,
                  "job runner: a job in a queue is never reported to wait there in a cluster without Kueue") {
  Json held = job("a");
  held["spec"]["suspend"] = true;
  held["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "gpus";
  transport.answer("GET", "/apis/kueue.x-k8s.io", refusal(404, "NotFound", "not found"), 404);
  transport.answer("POST", kJobs, held);
  serve(kJobs, {held});
  serve(kPods);
  runner->start({held});
  const std::vector<JobReport> told = told_in(2);
  REQUIRE(!told.empty());
  for (const JobReport& report : told) CHECK(report.cause == "no Kueue for queue gpus");
}

TEST_CASE_FIXTURE(Runner, "job runner: each waiting job has its own reason") {
  Json held = job("b");
  held["spec"]["suspend"] = true;
  transport.answer("POST", kJobs, job("a"));
  transport.answer("POST", kJobs, held);
  serve_looks_into(job("a"), Json::array({kNoRoomForPods}));
  serve_looks_into(held, Json::array());
  serve(kJobs, {job("a"), held});
  serve(kPods);
  const Json few = {{"metadata", {{"name", "few"}, {"namespace", "team"}}},
                    {"status", {{"hard", {{"pods", "5"}}}, {"used", {{"pods", "5"}}}}}};
  transport.answer("GET", "/api/v1/namespaces/team/resourcequotas?limit=500", {{"items", {few}}});
  // The requests find the jobs that use the quota, and those that could start instead.
  for (const std::string& path : {std::string("/api/v1/nodes"), std::string("/api/v1/pods"), kJobs})
    transport.answer("GET", path, {{"items", Json::array()}});
  runner->start({job("a"), job("b")});
  std::vector<std::string> told;
  for (const JobReport& report : told_in(30)) told.push_back(report.job + ": " + report.cause);
  CHECK(told == std::vector<std::string>{"b: `kml resume b` starts it", "a: quota few full (5/5 pods)"});
}

}  // namespace kml::engine::job_runner_test
