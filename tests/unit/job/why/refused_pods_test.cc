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

/// The quota in kFull.
Json few(int used = 3, int hard = 4) {
  const auto amount = [](int gpus) { return Json{{"requests.nvidia.com/gpu", std::to_string(gpus)}}; };
  return {{"metadata", {{"name", "few"}}}, {"status", {{"hard", amount(hard)}, {"used", amount(used)}}}};
}

}  // namespace

TEST_CASE("why: a full quota is explained in numbers, with its holders") {
  Refused full(kFull, 2);
  full.known.facts.active_pods = std::vector<Json>{on_node(make_pod(make_job("gpt", 3)), "a")};
  full.known.facts.nodes = std::vector<Json>{node("a", 8)};
  full.known.facts.other_jobs = std::vector<Json>{};
  full.known.facts.quotas = std::vector<Json>{few()};
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
    full.known.facts.quotas = std::vector<Json>{few(row.used, row.hard)};
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
    full.known.facts.quotas = std::vector<Json>{few()};
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

TEST_CASE("why: the proposed quota is enough for all pods of the job, in each of its entries") {
  struct Row {
    int pods, hard_pods;
    const char* fix;
  };
  for (const Row& row :
       {Row{1, 2, "to requests.nvidia.com/gpu: 5"}, Row{3, 4, "to requests.nvidia.com/gpu: 9"},
        Row{3, 3, "to requests.nvidia.com/gpu: 9, pods: 4"}}) {
    Refused full(kFull, 2);
    full.known.job["spec"].update({{"parallelism", row.pods}, {"completions", row.pods}});
    Json quota = few();
    quota["status"]["hard"]["pods"] = std::to_string(row.hard_pods);
    quota["status"]["used"]["pods"] = "1";
    full.known.facts.quotas = std::vector<Json>{quota};
    const std::string fix = full.known.cause().remedies.back().what;
    CHECK_MESSAGE(fix.ends_with(row.fix), fix);
  }
}

TEST_CASE("why: if a quota rejects pods of a gang, the quota is the cause, not the pods that exist") {
  Json bert = make_job("bert");
  bert["metadata"]["annotations"]["kml.dev/gang"] = "true";
  bert["spec"].update({{"parallelism", 5}, {"completions", 5}, {"completionMode", "Indexed"}});
  // as the embedded server reports it
  Known known(
      bert, {unschedulable(make_pod(bert, "0"), "waiting until all 5 pods that must start together exist")});
  CHECK(known.cause().code == CauseCode::gang_incomplete);
  known.facts.events = std::vector<Json>{
      event(bert, "FailedCreate",
            "Error creating: pods \"bert-3-x\" is forbidden: exceeded quota: team, requested: pods=1, used: "
            "pods=3, limited: pods=3")};
  CHECK(known.cause().code == CauseCode::quota);
  known.facts.quotas = std::vector<Json>{
      {{"metadata", {{"name", "team"}}}, {"status", {{"hard", {{"pods", "3"}}}, {"used", {{"pods", "3"}}}}}}};
  const auto causes = job::causes_of(known.facts);
  CHECK(causes.size() == 1);
  CHECK(causes[0].code == CauseCode::quota_too_small);
  CHECK(
      causes[0].summary ==
      "needs all of its pods at once, and asks for 5 pods, but quota team of namespace lab allows 3 pods in "
      "total");
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

TEST_CASE("why: if a job's pods run together, a quota must allow all of them, not just each one") {
  struct Case {
    int pods, hard, used;
    bool is_gang;
    const char *why, *new_job;  // the summaries for the job, and for one that is not created yet
  };
  const char* never =
      "needs all of its pods at once, and asks for 8 GPUs for 4 pods, but quota few of namespace lab allows "
      "6 "
      "GPUs in total";
  for (const Case& one :
       {Case{4, 6, 6, true, never, never},
        {4, 6, 0, true, never, never},
        {3, 6, 0, true, "", ""},
        {3, 6, 2, true, "",
         "quota few of namespace lab is used up: 2 of 6 GPUs in use, 2 more needed; when enough is "
         "free, the controller tries again by itself"},
        {4, 6, 0, false, "", ""}}) {
    CAPTURE(one.pods);
    CAPTURE(one.used);
    Known known(make_job("bert", 2));
    known.job["spec"].update({{"parallelism", one.pods}, {"completions", one.pods}});
    if (one.is_gang) known.job["metadata"]["annotations"]["kml.dev/gang"] = "true";
    known.facts.quotas = std::vector<Json>{few(one.used, one.hard)};
    for (const bool is_new : {false, true}) {
      const auto cause = job::gang_over_quota(known.facts, is_new);
      CHECK((cause ? cause->summary : "") == (is_new ? one.new_job : one.why));
    }
  }
}

TEST_CASE("why: other reasons for a rejection of pods are reported") {
  CHECK(Refused("failed quota: few: must specify limits.cpu for: main; limits.memory for: main")
            .known.cause()
            .code == CauseCode::quota_wants_limits);
  CHECK(Refused("error looking up service account lab/robot: serviceaccount \"robot\" not found")
            .known.cause()
            .code == CauseCode::service_account_missing);
  CHECK(Refused("no PriorityClass with name urgent was found").known.cause().brief ==
        "no priority class urgent");
  CHECK(Refused("violates PodSecurity \"restricted:latest\": runAsNonRoot != true").known.cause().code ==
        CauseCode::pod_security);
  CHECK(Refused("maximum cpu usage per Container is 1, but limit is 2").known.cause().code ==
        CauseCode::limit_range);
  CHECK(
      Refused("Pod \"bert-x\" is invalid: spec.containers[0].resources.requests: Invalid value: \"4\": must "
              "be less than or equal to cpu limit of 1")
          .known.cause()
          .code == CauseCode::limit_range);
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
  full.known.job["status"]["startTime"] = "2026-01-01T00:00:00Z";
  full.known.facts.events->push_back(
      event(full.known.job, "SuccessfulCreate", "Created pod: bert-x", "2026-01-01T00:05:00Z"));
  CHECK(full.known.cause().code == CauseCode::no_pods);
}

TEST_CASE("why: when the event has expired, the quota itself is read") {
  Known known(make_job("bert", 2));
  known.job["status"]["startTime"] = "2026-01-01T00:00:00Z";
  known.facts.events = std::vector<Json>{};
  known.facts.quotas = std::vector<Json>{parse_json(
      R"({"metadata": {"name": "few"}, "status": {"hard": {"requests.nvidia.com/gpu": "4"}, "used": {"requests.nvidia.com/gpu": "3"}}})",
      "quota")};
  CHECK(known.cause().code == CauseCode::quota);
  known.facts.quotas->at(0)["status"]["used"]["requests.nvidia.com/gpu"] = "2";
  CHECK(known.cause().code == CauseCode::no_pods);
}

TEST_CASE("why: all fields that a quota requires are named, with one command") {
  struct Row {
    const char *missing, *fields, *command;
  };
  for (const Row& row : std::vector<Row>{
           {"limits.cpu for: main", "limits.cpu", "kml submit --cpu N …"},
           {"memory for: main,side", "memory", "kml submit --memory SIZE …"},
           {"limits.cpu for: main; limits.memory for: main,side", "limits.cpu and limits.memory",
            "kml submit --cpu N --memory SIZE …"},
           {"limits.memory for: main; requests.cpu for: main; requests.memory for: main",
            "limits.memory, requests.cpu and requests.memory", "kml submit --cpu N --memory SIZE …"}}) {
    const job::Cause cause =
        Refused("failed quota: few: must specify " + std::string(row.missing)).known.cause();
    CHECK(cause.brief == std::string("quota few requires ") + row.fields);
    CHECK(cause.summary == std::string("quota few of namespace lab requires every pod to set ") + row.fields);
    REQUIRE(cause.remedies.size() == 1);
    CHECK(cause.remedies[0].command == row.command);
  }
}

namespace {

/// A quota of one pod, which is used up.
Json one_pod(const Json& spec) {
  const Json amount = {{"pods", "1"}};
  return {{"metadata", {{"name", "few"}}}, {"spec", spec}, {"status", {{"hard", amount}, {"used", amount}}}};
}

Json by_class(const char* op, const Json& values = Json::array()) {
  Json one = {{"scopeName", "PriorityClass"}, {"operator", op}};
  if (!values.empty()) one["values"] = values;
  return {{"scopeSelector", {{"matchExpressions", Json::array({one})}}}};
}

Json with_spec(Json pod, const Json& more) {
  pod["spec"].update(more);
  return pod;
}

}  // namespace

TEST_CASE("why: only jobs that a quota includes are named as its holders, and suggested for cancelling") {
  const Json high = {{"priorityClassName", "high"}}, limited = {{"activeDeadlineSeconds", 60}};
  struct Row {
    const char* what;
    Json quota, in, out;  ///< specs: of the quota, of a pod that it counts, of another one
  };
  const Json with_cpu = {{"containers", {{{"name", "main"}, {"resources", {{"requests", {{"cpu", "1"}}}}}}}}},
             none = Json::object();
  for (const Row& row :
       std::vector<Row>{{"In", by_class("In", {"high"}), high, none},
                        {"NotIn", by_class("NotIn", {"high"}), none, high},
                        {"Exists", by_class("Exists"), high, none},
                        {"DoesNotExist", by_class("DoesNotExist"), none, high},
                        {"the scope PriorityClass", {{"scopes", {"PriorityClass"}}}, high, none},
                        {"Terminating", {{"scopes", {"Terminating"}}}, limited, none},
                        {"NotTerminating", {{"scopes", {"NotTerminating"}}}, none, limited},
                        {"BestEffort", {{"scopes", {"BestEffort"}}}, none, with_cpu},
                        {"NotBestEffort", {{"scopes", {"NotBestEffort"}}}, with_cpu, none},
                        {"two scopes",
                         {{"scopes", {"NotBestEffort", "Terminating"}}},
                         with_spec({{"spec", with_cpu}}, limited)["spec"],
                         limited}}) {
    CAPTURE(std::string(row.what));
    Refused full("exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1");
    full.known.facts.quotas = std::vector<Json>{one_pod(row.quota)};
    full.known.facts.nodes = std::vector<Json>{node("a", 8)};
    full.known.facts.other_jobs = std::vector<Json>{};
    const Json counted = with_spec(on_node(make_pod(make_job("counted")), "a"), row.in),
               other = with_spec(on_node(make_pod(make_job("aside")), "a"), row.out),
               ended = with_spec(on_node(make_pod(make_job("ended")), "a", "Succeeded"), row.in);
    full.known.facts.active_pods = std::vector<Json>{other, counted, ended};
    const job::Cause cause = full.known.cause();
    REQUIRE(cause.holders.size() == 1);
    CHECK(cause.holders[0].name == "counted");
    CHECK(cause.remedies.at(0).command == "kml cancel counted");
    full.known.facts.active_pods = std::vector<Json>{other, ended};
    CHECK(full.known.cause().holders.empty());
    CHECK(full.known.cause().remedies.at(0).command.empty());
  }
}

TEST_CASE("why: if kml does not know which pods a quota includes, no job is suggested for cancelling") {
  const auto remedy_with = [](const Json& quota_spec, const Json& pod_spec, bool knows_quota = true) {
    Refused full("exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1");
    if (knows_quota) full.known.facts.quotas = std::vector<Json>{one_pod(quota_spec)};
    full.known.facts.nodes = std::vector<Json>{node("a", 8)};
    full.known.facts.other_jobs = std::vector<Json>{};
    full.known.facts.active_pods =
        std::vector<Json>{with_spec(on_node(make_pod(make_job("gpt")), "a"), pod_spec)};
    return full.known.cause().remedies.at(0).command;
  };
  const Json none = Json::object(), affinity = {{"affinity", {{"podAffinity", Json::object()}}}};
  CHECK(remedy_with(none, none) == "kml cancel gpt");
  CHECK(remedy_with(none, none, false).empty());
  CHECK(remedy_with({{"scopes", {"SomethingNew"}}}, none).empty());
  CHECK(remedy_with({{"scopes", {"VolumeAttributesClass"}}}, none).empty());
  CHECK(remedy_with({{"scopes", {"CrossNamespacePodAffinity"}}}, affinity).empty());
}

TEST_CASE("why: cancelling must free all that is short, in all quotas of the namespace") {
  Refused full("exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1", 2);
  Json gpus = few();
  gpus["metadata"]["name"] = "gpus";
  full.known.facts.quotas = std::vector<Json>{one_pod(Json::object()), gpus};
  full.known.facts.nodes = std::vector<Json>{node("a", 8)};
  full.known.facts.other_jobs = std::vector<Json>{};
  const Json small = on_node(make_pod(make_job("small")), "a"),
             large = on_node(make_pod(make_job("large", 3)), "a");
  full.known.facts.active_pods = std::vector<Json>{small, large};
  CHECK(full.known.cause().remedies.at(0).command == "kml cancel large");
  full.known.facts.active_pods = std::vector<Json>{small};
  CHECK(full.known.cause().remedies.at(0).command.empty());
}

TEST_CASE("why: a quota of limits is compared with limits, and one for other pods is ignored") {
  Known known(make_job("bert", 2));
  known.job["status"]["startTime"] = "2026-01-01T00:00:00Z";
  known.facts.events = std::vector<Json>{};
  Json quota = one_pod(by_class("In", {"high"}));
  known.facts.quotas = std::vector<Json>{quota};
  CHECK(known.cause().code == CauseCode::no_pods);
  known.job["spec"]["template"]["spec"]["priorityClassName"] = "high";
  CHECK(known.cause().code == CauseCode::quota);
  known.job["spec"]["template"]["spec"]["containers"][0]["resources"] = {{"limits", {{"cpu", "4"}}},
                                                                         {"requests", {{"cpu", "1"}}}};
  quota["status"] = {{"hard", {{"limits.cpu", "6"}}}, {"used", {{"limits.cpu", "3"}}}};
  known.facts.quotas = std::vector<Json>{quota};
  CHECK(known.cause().code == CauseCode::quota);
}

}  // namespace refused_pods_test
