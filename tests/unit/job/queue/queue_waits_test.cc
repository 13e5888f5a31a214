#include <doctest/doctest.h>

#include "job/queue/queue.h"
#include "job/why/objects.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/dependency.h"
#include "kml/kube/objects/gang.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace queue_waits_test {

using namespace kml;
using namespace kml::test;

namespace {

/// A job that waits, as the commands see it. Only `kml why` reads events.
struct Waits {
  const char* what;
  Json job;
  std::vector<Json> pods = {};
  Json workload = nullptr;
  std::string event = {};  ///< why the server rejected a pod
  bool is_in_line = false;
  job::State state = job::State::waiting;
  CauseCode code = CauseCode::none;
  std::string words = {};  ///< in the tables; if empty, those of `kml why`
};

Json suspended(Json job) {
  job["spec"]["suspend"] = true;
  return job;
}

Json after_other(Json job) {
  api::set_annotation(job, api::kAfter,
                      api::text_of({{api::Dependency::When::ok, "Job", "prep", "uid-prep", ""}}));
  return suspended(std::move(job));
}

Json in_queue(Json job) {
  job["metadata"]["labels"][std::string(api::kKueueQueue)] = "lq";
  return suspended(std::move(job));
}

Json of_gang(Json job) {
  api::set_annotation(job, api::kPodGroup, "bert");
  job["spec"].update({{"parallelism", 2}, {"completions", 2}});
  return job;
}

Json workload_with(const char* reserved, const char* reason, const char* message) {
  Json workload = {{"apiVersion", "kueue.x-k8s.io/v1beta1"}, {"kind", "Workload"}};
  workload["metadata"] = {{"name", "job-bert"},
                          {"namespace", "lab"},
                          {"uid", "w"},
                          {"ownerReferences", controlled_by("bert", "job-uid")}};
  workload["spec"]["queueName"] = "lq";
  workload["status"]["conditions"] = Json::array(
      {{{"type", "QuotaReserved"}, {"status", reserved}, {"reason", reason}, {"message", message}}});
  return workload;
}

Json failed_pod() {
  Json pod = on_node(make_pod(make_job()), "a", "Failed");
  const Json terminated = {{"exitCode", 1}, {"finishedAt", "2026-01-01T00:00:05Z"}};
  pod["status"]["containerStatuses"] = {{{"name", "main"}, {"state", {{"terminated", terminated}}}}};
  return pod;
}

std::vector<Waits> all_waits() {
  using State = job::State;
  Json plain = make_job("bert", 1);
  plain["status"]["startTime"] = "2026-01-01T00:00:00Z";
  const Json pod = make_pod(plain), unseen = make_job("bert", 1);
  const std::string quota =
      "Error creating: pods \"bert-x\" is forbidden: exceeded quota: few, requested: pods=1, used: pods=3, "
      "limited: pods=3";
  const std::string see = "no pods: see `kml why bert`";
  const Json held = workload_with("False", "Pending", "couldn't assign flavors to pod set main");
  const Json checked = workload_with("True", "QuotaReserved", "");
  using Code = CauseCode;
  return {
      {"a quota refuses its pod", plain, {}, nullptr, quota, false, State::waiting, Code::quota, see},
      {"a quota refuses a pod of its gang",
       of_gang(plain),
       {pod},
       nullptr,
       quota,
       false,
       State::waiting,
       Code::quota,
       "its gang is short of 1 pod"},
      {"its gang is incomplete",
       of_gang(plain),
       {pod},
       nullptr,
       "",
       false,
       State::waiting,
       Code::gang_incomplete},
      {"no pod exists, for an unknown reason",
       plain,
       {},
       nullptr,
       "",
       false,
       State::waiting,
       Code::no_pods,
       see},
      {"its controller does not run",
       unseen,
       {},
       nullptr,
       "",
       false,
       State::waiting,
       Code::controller_missing,
       see},
      {"it is between two attempts",
       plain,
       {failed_pod()},
       nullptr,
       "",
       false,
       State::waiting,
       Code::backoff,
       "next attempt soon: exit code 1"},
      {"it is suspended", suspended(plain), {}, nullptr, "", false, State::suspended, Code::suspended},
      {"its claim is missing",
       plain,
       {unschedulable(pod, "0/1 nodes are available: persistentvolumeclaim \"data\" not found. not found")},
       nullptr,
       "",
       false,
       State::waiting,
       Code::volume_missing},
      {"it waits for another job",
       after_other(plain),
       {},
       nullptr,
       "",
       false,
       State::waiting,
       Code::dependency},
      {"Kueue holds it", in_queue(plain), {}, held, "", true, State::waiting, Code::queue_pending},
      {"Kueue has reserved its quota",
       in_queue(plain),
       {},
       checked,
       "",
       false,
       State::waiting,
       Code::queue_check},
      {"a gate holds its pod",
       plain,
       {unschedulable(pod, "Scheduling is blocked", "SchedulingGated")},
       nullptr,
       "",
       false,
       State::waiting,
       Code::scheduling_gate},
      {"its pod is starting on a node",
       plain,
       {on_node(pod, "a", "Pending")},
       nullptr,
       "",
       false,
       State::waiting,
       Code::starting},
      {"no node has room",
       plain,
       {unschedulable(pod, "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.")},
       nullptr,
       "",
       true,
       State::waiting,
       Code::resources_held},
      {"the scheduler has not seen its pod",
       plain,
       {pod},
       nullptr,
       "",
       true,
       State::waiting,
       Code::scheduling},
  };
}

}  // namespace

TEST_CASE(
    "queue: for many kinds of waiting, queue, list and why agree, and only jobs in line have a position") {
  for (const Waits& row : all_waits()) {
    CAPTURE(std::string(row.what));
    Known known(row.job, row.pods);
    job::JobQueue queue;
    queue.put(row.job);
    for (const Json& pod : row.pods) queue.put(pod);
    if (!row.workload.is_null()) {
      queue.put(row.workload);
      known.facts.workloads = std::vector<Json>{row.workload};
    }
    known.facts.events = std::vector<Json>{};
    if (!row.event.empty()) known.facts.events->push_back(event(known.job, "FailedCreate", row.event));

    const std::vector<job::JobView> views = {
        queue.entries().at(0)->job,
        job::view_of_job(row.job, known.pointers, row.workload.is_null() ? nullptr : &row.workload)};
    const job::Cause cause = known.cause();
    CHECK(queue.entries().at(0)->position == (row.is_in_line ? 1 : 0));
    CHECK(cause.code == row.code);
    for (const job::JobView& view : views) {
      CHECK(view.state == row.state);
      CHECK(view.cause_at(known.facts.now) == (row.words.empty() ? cause.brief : row.words));
    }
  }
}

TEST_CASE("queue: a job whose pod is starting on a node is listed before those in line") {
  const Json first = make_job("first"), second = make_job("second"), third = make_job("third");
  job::JobQueue queue;
  for (const Json& object : {first, make_pod(first), second, make_pod(second), third}) queue.put(object);
  queue.put(on_node(make_pod(second), "a", "Pending"));
  std::string order;
  for (const job::QueueEntry* entry : queue.entries())
    order += std::to_string(entry->position) + entry->job.name + " ";
  CHECK(order == "0second 1first 0third ");
}

}  // namespace queue_waits_test
