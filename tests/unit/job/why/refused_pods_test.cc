#include <doctest/doctest.h>

#include "job/why/objects.h"

namespace refused_pods_test {

using namespace kml;
using namespace kml::test;

namespace {

struct Refused {
  explicit Refused(const std::string& message, int gpus = 1) : known(make_job("bert", gpus)) {
    known.facts.events = std::vector<Json>{
        event(known.job, "FailedCreate", "Error creating: pods \"bert-x\" is forbidden: " + message)};
  }
  Known known;
};

constexpr const char* kFull =
    "exceeded quota: few, requested: requests.nvidia.com/gpu=2, used: requests.nvidia.com/gpu=3, limited: "
    "requests.nvidia.com/gpu=4";

}  // namespace

TEST_CASE("why: a full quota is explained in numbers, with its holders") {
  Refused full(kFull, 2);
  full.known.facts.active_pods = std::vector<Json>{on_node(make_pod(make_job("gpt", 3)), "a")};
  full.known.facts.nodes = std::vector<Json>{node("a", 8)};
  full.known.facts.other_jobs = std::vector<Json>{};
  const job::Cause cause = full.known.cause();
  CHECK(cause.code == CauseCode::quota);
  CHECK(cause.outlook == job::Outlook::waits);
  CHECK(cause.brief == "quota few full (3/4 nvidia.com/gpu)");
  CHECK(
      cause.summary.starts_with("quota few of namespace lab is used up: 3 of 4 GPUs in use, 1 more needed"));
  CHECK(cause.remedies.at(0).command == "kml cancel gpt");
  CHECK(cause.remedies.at(1).what ==
        "or ask an administrator to raise quota few to requests.nvidia.com/gpu: 5");
  CHECK(cause.remedies.at(1).command.empty());
}

TEST_CASE("why: a quota that has changed since the last attempt is compared as it is now") {
  struct Row {
    int used, hard;
    const char* brief;
    job::Outlook outlook;
  };
  const auto waits = job::Outlook::waits, soon = job::Outlook::starting, never = job::Outlook::never;
  for (const Row& row : std::vector<Row>{{3, 4, "quota few full (3/4 nvidia.com/gpu)", waits},
                                         {4, 5, "quota few full (4/5 nvidia.com/gpu)", waits},
                                         {3, 5, "quota few has room now", soon},
                                         {2, 4, "quota few has room now", soon},
                                         {0, 1, "quota few allows 1 GPU", never}}) {
    Refused full(kFull, 2);
    const auto amount = [](int gpus) { return Json{{"requests.nvidia.com/gpu", std::to_string(gpus)}}; };
    full.known.facts.quotas =
        std::vector<Json>{{{"metadata", {{"name", "few"}}},
                           {"status", {{"hard", amount(row.hard)}, {"used", amount(row.used)}}}}};
    CHECK(full.known.cause().brief == row.brief);
    CHECK(full.known.cause().outlook == row.outlook);
    full.known.facts.quotas->at(0)["metadata"]["name"] = "another";
    CHECK(full.known.cause().brief == "quota few full (3/4 nvidia.com/gpu)");
  }
}

TEST_CASE("why: a job is suggested for cancelling only if that lets this job start") {
  const auto first_remedy = [](int pods, std::vector<Json> nodes, std::vector<Json> others) {
    Refused full(kFull, 2);
    full.known.job["spec"].update({{"parallelism", pods}, {"completions", pods}});
    full.known.facts.active_pods = std::vector<Json>{on_node(make_pod(make_job("gpt", 3)), "a")};
    full.known.facts.nodes = std::move(nodes);
    full.known.facts.other_jobs = std::move(others);
    return full.known.cause().remedies.at(0);
  };
  Json waits = make_job("other", 1), runs = make_job("other", 1);
  runs["status"]["active"] = 1;
  CHECK(first_remedy(1, {node("a", 8)}, {runs}).command == "kml cancel gpt");
  CHECK(first_remedy(1, {node("a", 8)}, {waits}).command.empty());  // the waiting job may take the quota
  // the other job can never start
  CHECK(first_remedy(1, {node("a", 8)}, {make_job("other", 5)}).command == "kml cancel gpt");
  CHECK(first_remedy(1, {node("a", 1)}, {}).command.empty());  // no node has enough room
  CHECK(first_remedy(2, {node("a", 8)}, {}).command == "kml cancel gpt");
  CHECK(first_remedy(3, {node("a", 8)}, {}).command.empty());  // the quota is too small for three pods
  CHECK(first_remedy(3, {node("a", 8)}, {}).what ==
        "ask an administrator to raise quota few to requests.nvidia.com/gpu: 9");
}

TEST_CASE("why: a request above the whole quota never fits") {
  const job::Cause cause = Refused(
                               "exceeded quota: few, requested: pods=1,requests.nvidia.com/gpu=8, used: "
                               "pods=0,requests.nvidia.com/gpu=0, limited: pods=5,requests.nvidia.com/gpu=4")
                               .known.cause();
  CHECK(cause.code == CauseCode::quota_too_small);
  CHECK(cause.outlook == job::Outlook::never);
  CHECK(cause.summary == "asks for 8 GPUs per pod, but quota few of namespace lab allows 4 GPUs in total");
}

TEST_CASE("why: other reasons for a rejection of pods are reported") {
  CHECK(Refused("failed quota: few: must specify limits.cpu for: main; limits.memory for: main")
            .known.cause()
            .code == CauseCode::quota_wants_limits);
  CHECK(Refused("failed quota: few: must specify limits.cpu for: main; limits.memory for: main")
            .known.cause()
            .summary == "quota few of namespace lab requires every pod to set limits.cpu");
  CHECK(Refused("error looking up service account lab/robot: serviceaccount \"robot\" not found")
            .known.cause()
            .code == CauseCode::service_account_missing);
  CHECK(Refused("no PriorityClass with name urgent was found").known.cause().brief ==
        "no priority class urgent");
  CHECK(Refused("violates PodSecurity \"restricted:latest\": runAsNonRoot != true").known.cause().code ==
        CauseCode::pod_security);
  CHECK(Refused("maximum cpu usage per Container is 1, but limit is 2").known.cause().code ==
        CauseCode::limit_range);
  CHECK(Refused("admission webhook \"policy\" denied the request: no").known.cause().code ==
        CauseCode::pods_refused);
}

TEST_CASE("why: for a missing priority class, the existing ones are listed") {
  Refused refused("no PriorityClass with name urgent was found");
  CHECK(refused.known.cause().remedies.at(0).what ==
        "submit it again with one that exists: kml list priorityclasses");
  refused.known.facts.priorities =
      std::vector<Json>{{{"metadata", {{"name", "high"}}}, {"value", 1000}},
                        {{"metadata", {{"name", "usual"}}}, {"value", 10}, {"globalDefault", true}},
                        {{"metadata", {{"name", "system-node-critical"}}}, {"value", 2000001000}}};
  CHECK(refused.known.cause().remedies.at(0).what ==
        "submit it again with one that exists: high (1000), usual (10, the default)");
}

TEST_CASE("why: once a pod has been created, an earlier rejection is ignored") {
  Refused full(kFull);
  full.known.facts.events->push_back(
      event(full.known.job, "SuccessfulCreate", "Created pod: bert-x", "2026-01-01T00:05:00Z"));
  CHECK(full.known.cause().code == CauseCode::no_pods);
}

TEST_CASE("why: when the event has expired, the quota itself is read") {
  Known known(make_job("bert", 2));
  known.facts.events = std::vector<Json>{};
  known.facts.quotas = std::vector<Json>{parse_json(
      R"({"metadata": {"name": "few"}, "status": {"hard": {"requests.nvidia.com/gpu": "4"}, "used": {"requests.nvidia.com/gpu": "3"}}})",
      "quota")};
  CHECK(known.cause().code == CauseCode::quota);
  known.facts.quotas->at(0)["status"]["used"]["requests.nvidia.com/gpu"] = "2";
  CHECK(known.cause().code == CauseCode::no_pods);
}

}  // namespace refused_pods_test
