#include <doctest/doctest.h>

#include "job/why/objects.h"
#include "job/why/reader.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "support/fake_transport.h"

namespace shared_quota_test {

using namespace kml;
using namespace kml::test;

namespace {

constexpr const char* kGpu = "nvidia.com/gpu";

/// A ClusterQueue in cohort "lab" with a nominal quota of four GPUs.
Json cluster_queue(const std::string& name, Json limits = Json::object()) {
  limits.update({{"name", kGpu}, {"nominalQuota", "4"}});
  const Json flavor = {{"name", "any"}, {"resources", Json::array({limits})}};
  return {{"kind", "ClusterQueue"},
          {"metadata", {{"name", name}}},
          {"spec",
           {{"cohortName", "lab"},
            {"resourceGroups", Json::array({{{"coveredResources", {kGpu}}, {"flavors", {flavor}}}})}}}};
}

Json local_queue(const std::string& name) {
  return {{"kind", "LocalQueue"},
          {"metadata", {{"name", "lq-" + name}, {"namespace", "lab"}}},
          {"spec", {{"clusterQueue", name}}}};
}

Json workload(const std::string& job, const std::string& queue, const std::string& created) {
  Json made = {{"apiVersion", "kueue.x-k8s.io/v1beta2"}, {"kind", "Workload"}};
  made["metadata"] = {{"name", "w-" + job},
                      {"namespace", "lab"},
                      {"uid", "w-" + job},
                      {"creationTimestamp", created},
                      {"ownerReferences", controlled_by(job, job == "bert" ? "job-uid" : job)}};
  made["spec"]["queueName"] = "lq-" + queue;
  return made;
}

Json condition(const char* status, const std::string& message) {
  return Json::array(
      {{{"type", "QuotaReserved"}, {"status", status}, {"reason", "Pending"}, {"message", message}}});
}

/// A job that holds GPUs of a queue.
Json holder(const std::string& job, const std::string& queue, int gpus) {
  Json made = workload(job, queue, "2026-01-01T00:00:00Z");
  made["status"]["conditions"] = condition("True", "");
  made["status"]["admission"] = {
      {"clusterQueue", queue},
      {"podSetAssignments",
       Json::array({{{"flavors", {{kGpu, "any"}}}, {"resourceUsage", {{kGpu, std::to_string(gpus)}}}}})}};
  return made;
}

/// A job that waits for four GPUs.
Json waiting(const std::string& job, const std::string& queue, int missing, const std::string& created) {
  Json made = workload(job, queue, created);
  const Json pod = {{"containers", Json::array({{{"resources", {{"requests", {{kGpu, "4"}}}}}}})}};
  made["spec"]["podSets"] = Json::array({{{"count", 1}, {"template", {{"spec", pod}}}}});
  made["status"]["conditions"] =
      condition("False",
                "couldn't assign flavors to pod set main: insufficient unused quota for nvidia.com/gpu "
                "in flavor any, " +
                    std::to_string(missing) + " more needed");
  return made;
}

constexpr const char *kNow = "2026-01-01T01:00:00Z", *kLater = "2026-01-01T02:00:00Z";

/// Job bert waits in queue a; queue b shares quota with it.
struct Cohort {
  Cohort(const Json& a, const Json& b, int missing, std::vector<Json> others) : known(make_job("bert", 4)) {
    known.job["metadata"]["labels"][std::string(api::kKueueQueue)] = "lq-a";
    known.job["spec"]["suspend"] = true;
    others.push_back(waiting("bert", "a", missing, kNow));
    known.facts.workloads = std::move(others);
    known.facts.local_queue = local_queue("a");
    known.facts.local_queues = std::vector<Json>{local_queue("a"), local_queue("b")};
    known.facts.cluster_queue = a;
    known.facts.cohort = std::vector<Json>{b, a};
  }
  Known known;
};

/// "a1 b1@b": the holders, each with its queue if that is another one.
std::string text_of(const std::vector<job::Holder>& holders) {
  std::string text;
  for (const job::Holder& one : holders)
    text += (text.empty() ? "" : " ") + one.name + (one.queue.empty() ? "" : "@" + one.queue);
  return text;
}

}  // namespace

TEST_CASE("why: holders in other queues of a cohort are named, and a cancel is suggested only if it helps") {
  struct Row {
    const char* what;
    Json a, b;
    int missing;
    std::vector<Json> others;
    std::string holders, command;
  };
  const Json a = cluster_queue("a"), b = cluster_queue("b");
  const Json shy = cluster_queue("b", {{"lendingLimit", "0"}}),
             bound = cluster_queue("a", {{"borrowingLimit", "0"}});
  for (const Row& row : std::vector<Row>{
           {"only the other queue has jobs", a, b, 2, {holder("b1", "b", 6)}, "b1@b", "kml cancel b1"},
           {"both have", a, b, 4, {holder("b1", "b", 4), holder("a1", "a", 4)}, "a1 b1@b", "kml cancel a1"},
           {"the smaller one is enough",
            a,
            b,
            1,
            {holder("a1", "a", 3), holder("b1", "b", 2)},
            "a1 b1@b",
            "kml cancel b1"},
           {"the other queue lends nothing",
            a,
            shy,
            4,
            {holder("b1", "b", 4), holder("a1", "a", 4)},
            "a1",
            "kml cancel a1"},
           {"its queue may not borrow",
            bound,
            b,
            2,
            {holder("b1", "b", 4), holder("a1", "a", 2)},
            "a1",
            "kml cancel a1"},
           {"a job of the other queue would borrow less",
            a,
            b,
            4,
            {holder("a1", "a", 4), holder("a2", "a", 4), waiting("b9", "b", 4, kLater)},
            "a1 a2",
            ""},
           {"a job of the other queue is behind, and neither borrows",
            a,
            b,
            2,
            {holder("b1", "b", 6), waiting("b9", "b", 4, kLater)},
            "b1@b",
            "kml cancel b1"},
           {"Kueue misses more than the queues explain, as in nested cohorts",
            a,
            b,
            4,
            {holder("b1", "b", 6), holder("a1", "a", 1)},
            "b1@b a1",
            ""},
       }) {
    CAPTURE(std::string(row.what));
    const job::Cause cause = Cohort(row.a, row.b, row.missing, row.others).known.cause();
    CHECK(cause.code == CauseCode::queue_quota);
    CHECK(text_of(cause.holders) == row.holders);
    CHECK((cause.remedies.empty() ? "" : cause.remedies[0].command) == row.command);
  }
}

TEST_CASE("why: without the other queues of the cohort, only the holders in the job's queue are named") {
  Cohort both(cluster_queue("a"), cluster_queue("b"), 4, {holder("b1", "b", 4), holder("a1", "a", 4)});
  both.known.facts.cohort.reset();
  CHECK(text_of(both.known.cause().holders) == "a1");
  CHECK(both.known.cause().remedies.at(0).command == "kml cancel a1");
}

TEST_CASE("why: kml reads the cohort of the job's queue, and says if it may not") {
  struct Row {
    const char* what;
    int of_own, of_all;  ///< the HTTP status of the ClusterQueue, and of the list of ClusterQueues
    std::vector<std::string> unknown;
    size_t queues;
  };
  for (const Row& row :
       {Row{"all", 200, 200, {}, 1},
        Row{"only its own", 200, 403, {"the other queues of cohort lab: you may not read them"}, 0},
        Row{"none", 403, 0, {"ClusterQueue a and its cohort: you may not read them"}, 0}}) {
    CAPTURE(std::string(row.what));
    const Cohort cohort(cluster_queue("a"), cluster_queue("b"), 4, {});
    const auto list = [](std::vector<Json> items) {
      return Json{{"kind", "List"}, {"metadata", Json::object()}, {"items", std::move(items)}};
    };
    const Json forbidden = {{"kind", "Status"}, {"code", 403}, {"message", "forbidden"}};
    const std::string kueue = "/apis/kueue.x-k8s.io", version = kueue + "/v1beta2";
    const Json own = (*cohort.known.facts.workloads)[0];
    FakeTransport transport;
    transport.answer("GET", kueue, {{"preferredVersion", {{"version", "v1beta2"}}}});
    transport.answer("GET", version + "/namespaces/lab/workloads", list({own}));
    transport.answer("GET", version + "/workloads", list({own}));
    transport.answer("GET", version + "/localqueues", list({local_queue("a")}));
    transport.answer("GET", version + "/namespaces/lab/localqueues/lq-a", local_queue("a"));
    transport.answer("GET", version + "/clusterqueues/a", row.of_own == 200 ? cluster_queue("a") : forbidden,
                     row.of_own);
    Json stranger = cluster_queue("c");
    stranger["spec"]["cohortName"] = "other";
    if (row.of_all != 0)
      transport.answer("GET", version + "/clusterqueues",
                       row.of_all == 200 ? list({cluster_queue("b"), stranger}) : forbidden, row.of_all);
    kube::Client client(transport);
    job::Facts facts{.job = cohort.known.job};
    job::Reader reader(client, 0);
    job::read_queue(reader, facts);
    CHECK(reader.unknown == row.unknown);
    CHECK((facts.cohort ? facts.cohort->size() : 0) == row.queues);
  }
}

}  // namespace shared_quota_test
