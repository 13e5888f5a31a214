#include "engine/watching/job_maker.h"

#include <doctest/doctest.h>

#include "support/owner.h"
#include "sweep/runner/runner_fixture.h"

namespace kml::engine::job_maker_test {

namespace {

using sweep::TrialReport;

Json refusal(int code, const char* reason, const std::string& message) {
  return {
      {"kind", "Status"}, {"status", "Failure"}, {"reason", reason}, {"code", code}, {"message", message}};
}

const Json kFull =
    refusal(403, "Forbidden",
            "jobs.batch \"s-0\" is forbidden: exceeded quota: few, requested: count/jobs.batch=1, used: "
            "count/jobs.batch=5, limited: count/jobs.batch=5");
const Json kMissing = refusal(404, "NotFound", "jobs.batch \"s-0\" not found");
const Json kTaken = refusal(409, "AlreadyExists", "jobs.batch \"s-0\" already exists");

Json job_of(const char* submit_id, const char* uid = "j") {
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata",
           {{"name", "s-0"},
            {"namespace", "team"},
            {"uid", uid},
            {"resourceVersion", "1"},
            {"labels", {{"kml.dev/submit-id", submit_id}}}}},
          {"spec", Json::object()}};
}

Json pod_of(const std::string& job_uid, const std::string& score) {
  return {{"metadata",
           {{"name", "s-0-" + job_uid},
            {"namespace", "team"},
            {"uid", "pod of " + job_uid},
            {"resourceVersion", "1"},
            {"ownerReferences", controlled_by("s-0", job_uid)}}},
          {"spec", {{"nodeName", "node1"}, {"containers", {{{"name", "main"}}}}}},
          {"status",
           {{"phase", "Succeeded"},
            {"containerStatuses",
             {{{"name", "main"},
               {"state", {{"terminated", {{"reason", "Completed"}, {"message", "score=" + score}}}}}}}}}}};
}

/// A runner with one trial, on a server that has pods of two jobs with the trial's name.
struct OneTrial : sweep::RunnerFixture {
  OneTrial() {
    sweep::SweepRunnerOptions trial_options = options();
    trial_options.manifest = [](const sweep::TrialJob&) { return job_of("id"); };
    trial_options.on_retry = [this](const Error& error) { retries.push_back(error.message); };
    runner = sweep::make_sweep_runner(client, trial_options, interrupt);
  }

  std::vector<TrialReport> start() {
    trials[0].name = "s-0";
    runner->start(trials);
    return runner->wait(std::chrono::milliseconds(0));
  }

  std::vector<TrialReport> told_in(int seconds) {
    std::vector<TrialReport> told;
    for (int i = 0; i < seconds; ++i)
      for (TrialReport& report : runner->wait(std::chrono::seconds(1))) told.push_back(std::move(report));
    return told;
  }

  void serve_watches() { serve(std::vector<Json>{}, {pod_of("earlier", "9"), pod_of("j", "3")}); }

  void refuse(const Json& status) {
    transport.answer("POST", jobs, status, static_cast<int>(int_at(status, {"code"})));
  }

  size_t requests_to_make() const {
    return static_cast<size_t>(
        std::count_if(transport.requests.begin(), transport.requests.end(),
                      [](const http::Request& request) { return request.method == "POST"; }));
  }

  std::vector<sweep::TrialJob> trials{1};
  std::vector<std::string> retries;
  std::unique_ptr<sweep::Runner> runner;
};

const Json kBusy = refusal(503, "ServiceUnavailable", "etcdserver: leader changed");

}  // namespace

TEST_CASE_FIXTURE(
    OneTrial, "job maker: kml waits until a temporary failure is over, and reports the server's message") {
  serve_watches();
  SUBCASE("no answer") {
    transport.stub("POST", jobs, FakeTransport::break_connection());
  }
  SUBCASE("the server has an internal error") {
    refuse(kBusy);
  }
  SUBCASE("too many requests") {
    refuse(refusal(429, "TooManyRequests", "too many requests"));
  }
  SUBCASE("no answer when the name is looked up") {
    refuse(kTaken);
    is_unwell("GET", jobs + "/s-0");
  }
  transport.answer("POST", jobs, job_of("id"));
  const std::vector<TrialReport> told = start();
  REQUIRE(told.size() == 1);
  CHECK(told[0].kind == TrialReport::Kind::waiting);
  REQUIRE(retries.size() == 1);
  CHECK(told[0].cause.starts_with(retries[0]));
  CHECK(successes(told_in(3)) == 1);
}

TEST_CASE_FIXTURE(OneTrial, "job maker: if a request got no answer, the watch finds the job it created") {
  serve(job_of("id"), {pod_of("j", "3")});
  transport.stub("POST", jobs, FakeTransport::break_connection());
  start();
  CHECK(successes(told_in(1)) == 1);
  CHECK(requests_to_make() == 1);
}

TEST_CASE_FIXTURE(OneTrial,
                  "job maker: a stopped job that may have been created is looked up and cancelled") {
  serve(std::vector<Json>{}, {});
  transport.stub("POST", jobs, FakeTransport::break_connection());
  start();
  runner->stop("s-0");
  is_unwell("GET", jobs + "/s-0");
  transport.answer("GET", jobs + "/s-0", job_of("id"));
  transport.answer("GET", pods, list_of({}));
  is_unwell("PATCH", jobs + "/s-0");
  transport.answer("GET", pods, list_of({}));
  transport.answer("PATCH", jobs + "/s-0", job_of("id"));
  told_in(6);
  CHECK(requests_to_make() == 1);
}

TEST_CASE_FIXTURE(OneTrial,
                  "job maker: new jobs wait behind those already waiting, and do not delay them further") {
  serve_watches();
  refuse(kFull);
  start();
  const auto begin_another = [&](const char* name) {
    std::vector<sweep::TrialJob> others{1};
    others[0].name = name;
    runner->start(others);
  };
  runner->wait(std::chrono::milliseconds(600));
  begin_another("s-1");
  CHECK(requests_to_make() == 1);
  refuse(kFull);
  runner->wait(std::chrono::milliseconds(0));  // reports why the other job waits
  runner->wait(std::chrono::milliseconds(600));
  REQUIRE(requests_to_make() == 2);
  CHECK(transport.requests.back().body.find("\"s-0\"") != std::string::npos);
}

TEST_CASE_FIXTURE(OneTrial, "job maker: a job that a quota rejects waits for room") {
  serve_watches();
  refuse(kFull);
  refuse(kFull);
  transport.answer("POST", jobs, job_of("id"));
  const std::vector<TrialReport> told = start();
  REQUIRE(told.size() == 1);
  CHECK(told[0].kind == TrialReport::Kind::waiting);
  CHECK(told[0].cause == "quota few full (5/5 count/jobs.batch)");
  CHECK(told_in(2).empty());  // rejected again, for the same reason
  CHECK(requests_to_make() == 2);
  const std::vector<TrialReport> then = told_in(3);
  CHECK(requests_to_make() == 3);
  CHECK(successes(then) == 1);
  for (const TrialReport& report : then)
    if (report.kind == TrialReport::Kind::metric) CHECK(report.value == 3);
}

TEST_CASE_FIXTURE(OneTrial, "job maker: a job that waits for a quota can be stopped") {
  serve_watches();
  refuse(kFull);
  start();
  runner->stop("s-0");
  transport.answer("GET", jobs + "/s-0", kMissing, 404);
  const std::vector<TrialReport> told = told_in(60);
  REQUIRE(told.size() == 1);
  CHECK(told[0].kind == TrialReport::Kind::ended);
  CHECK_FALSE(told[0].succeeded);
  CHECK(told_in(60).empty());
  CHECK(requests_to_make() == 1);
}

TEST_CASE_FIXTURE(OneTrial, "job maker: a job with an invalid manifest is rejected, with the cause") {
  Json invalid = refusal(422, "Invalid", "Job \"s-0\" is invalid: spec.parallelism: must be positive");
  invalid["details"]["causes"] = {{{"field", "spec.parallelism"}, {"message", "must be positive"}}};
  refuse(invalid);
  const std::vector<TrialReport> told = start();
  REQUIRE(told.size() == 1);
  CHECK(told[0].kind == TrialReport::Kind::refused);
  CHECK(told[0].cause.find("spec.parallelism: must be positive") != std::string::npos);
}

TEST_CASE_FIXTURE(OneTrial,
                  "job maker: if the server rejects the credentials twice, the sweep ends with an error") {
  for (int i = 0; i < 2; ++i) refuse(refusal(401, "Unauthorized", "Unauthorized"));
  CHECK_THROWS_AS(start(), Error);
}

TEST_CASE_FIXTURE(OneTrial, "job maker: a credential that expires during the sweep does not end it") {
  serve_watches();
  refuse(refusal(401, "Unauthorized", "Unauthorized"));
  transport.answer("POST", jobs, job_of("id"));
  start();
  CHECK(successes(told_in(10)) == 1);
}

TEST_CASE_FIXTURE(OneTrial,
                  "job maker: if a job with the same name is being deleted, kml waits until it is gone") {
  serve_watches();
  for (const char* submit_id : {"id", "another"}) {
    CAPTURE(submit_id);
    Json leaving = job_of(submit_id, "earlier");
    leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
    refuse(kTaken);
    transport.answer("GET", jobs + "/s-0", leaving);
  }
  transport.answer("POST", jobs, job_of("id"));
  const std::vector<TrialReport> told = start();
  REQUIRE(told.size() == 1);
  CHECK(told[0].kind == TrialReport::Kind::waiting);
  CHECK(told[0].cause == "an earlier job with the same name is being deleted");
  CHECK(successes(told_in(10)) == 1);
}

TEST_CASE_FIXTURE(OneTrial, "job maker: another user's job with the same name is reported, and not adopted") {
  refuse(kTaken);
  transport.answer("GET", jobs + "/s-0", job_of("another"));
  CHECK_THROWS_WITH_AS(start(), "job s-0 already exists and does not belong to this sweep", Error);
}

TEST_CASE("refusal: a rejection makes the job fail only if the server would reject a second request, too") {
  const auto refused = [](int code, const char* why) {
    Error error(ErrorCode::failure, "cannot create Job \"s-0\"", why);
    error.http_status = code;
    return refusal_of(error);
  };
  for (const int code : {429, 500, 503}) CHECK(refused(code, "no") == Refusal::passing);
  CHECK(refusal_of(Error(ErrorCode::unreachable, "no route to host")) == Refusal::passing);
  for (const int code : {0, 401}) CHECK(refused(code, "no") == Refusal::of_user);
  for (const int code : {400, 422}) CHECK(refused(code, "no") == Refusal::for_good);
  CHECK(refused(403, "User \"u\" cannot create resource \"jobs\"") == Refusal::of_user);
  CHECK(refused(403, "admission webhook \"w\" denied the request: no") == Refusal::for_good);
  CHECK(refused(403, "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no") ==
        Refusal::for_good);
  CHECK(refused(403, "exceeded quota: few, requested: count/jobs.batch=1") == Refusal::by_quota);
  CHECK(refused(403, "status unknown for quota: few") == Refusal::by_quota);
  CHECK(refused(403, "failed quota: few: must specify limits.cpu") == Refusal::for_good);
}

namespace {

/// A trial of two pods that start together.
struct OneGang : OneTrial {
  OneGang() {
    sweep::SweepRunnerOptions trial_options = options();
    trial_options.manifest = [](const sweep::TrialJob&) {
      Json job = job_of("id");
      job["metadata"]["annotations"]["kml.dev/gang"] = "true";
      job["spec"] = {{"parallelism", 2},
                     {"completions", 2},
                     {"template", {{"spec", {{"containers", {Json::object()}}}}}}};
      return job;
    };
    runner = sweep::make_sweep_runner(client, trial_options, interrupt);
  }

  /// The methods and paths of the requests that are about PodGroups, or create the job.
  std::vector<std::string> requests() const {
    std::vector<std::string> found;
    for (const http::Request& request : transport.requests)
      if (request.method == "POST" || contains(request.path, groups))
        found.push_back(request.method + " " + request.path.substr(0, request.path.find('?')) +
                        (contains(request.path, "dryRun") ? " dry run" : ""));
    return found;
  }

  const std::string groups = "/apis/scheduling.k8s.io/v1beta1/namespaces/team/podgroups";
  const Json group = {{"kind", "PodGroup"},
                      {"metadata", {{"name", "s-0-id"}, {"namespace", "team"}, {"resourceVersion", "1"}}}};
};

}  // namespace

TEST_CASE_FIXTURE(OneGang, "job maker: a gang's PodGroup is created before its job, which then owns it") {
  Json made = job_of("id");
  made["metadata"]["annotations"]["kml.dev/pod-group"] = "s-0-id";
  transport.answer("POST", groups + "?fieldManager=kml&fieldValidation=Strict&dryRun=All", group, 201);
  SUBCASE("the PodGroup is new") {
    transport.answer("POST", groups, group, 201);
  }
  SUBCASE("an earlier engine has created the PodGroup") {
    transport.answer("POST", groups, refusal(409, "AlreadyExists", "podgroups \"s-0-id\" already exists"),
                     409);
  }
  transport.answer("POST", jobs, made, 201);
  transport.answer("GET", groups + "/s-0-id", group);
  transport.answer("PATCH", groups + "/s-0-id", group);
  start();
  CHECK(requests() == std::vector<std::string>{"POST " + groups + " dry run", "POST " + groups,
                                               "POST " + jobs, "GET " + groups + "/s-0-id",
                                               "PATCH " + groups + "/s-0-id"});
  const auto sent =
      std::find_if(transport.requests.begin(), transport.requests.end(), [&](const http::Request& request) {
        return request.method == "POST" && request.path.starts_with(jobs);
      });
  REQUIRE(sent != transport.requests.end());
  CHECK(contains(sent->body, R"("schedulingGroup":{"podGroupName":"s-0-id"})"));
}

TEST_CASE_FIXTURE(OneGang, "job maker: without PodGroups, a gang's job is created alone") {
  transport.answer("POST", groups + "?fieldManager=kml&fieldValidation=Strict&dryRun=All",
                   refusal(404, "NotFound", "the server could not find the requested resource"), 404);
  transport.answer("POST", jobs, job_of("id"), 201);
  start();
  CHECK(requests() == std::vector<std::string>{"POST " + groups + " dry run", "POST " + jobs});
}

TEST_CASE_FIXTURE(OneGang, "job maker: the PodGroup of a job that is rejected for good is deleted") {
  transport.answer("POST", groups + "?fieldManager=kml&fieldValidation=Strict&dryRun=All", group, 201);
  transport.answer("POST", groups, group, 201);
  transport.answer("POST", jobs, refusal(422, "Invalid", "jobs.batch \"s-0\" is invalid"), 422);
  transport.answer("DELETE", groups + "/s-0-id", group);
  start();
  CHECK(requests().back() == "DELETE " + groups + "/s-0-id");
}

}  // namespace kml::engine::job_maker_test
