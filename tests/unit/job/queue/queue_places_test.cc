#include <doctest/doctest.h>

#include "job/queue/queue.h"
#include "support/owner.h"

namespace queue_places_test {

using namespace kml;
using namespace kml::job;

namespace {

Json job(const std::string& name, int created_second, const std::string& priority = "") {
  Json object = {{"apiVersion", "batch/v1"},
                 {"kind", "Job"},
                 {"metadata",
                  {{"name", name},
                   {"namespace", "lab"},
                   {"creationTimestamp", "2026-01-01T00:00:0" + std::to_string(created_second) + "Z"}}},
                 {"spec", {{"template", {{"spec", {{"containers", Json::array({Json::object()})}}}}}}}};
  if (!priority.empty()) object["spec"]["template"]["spec"]["priorityClassName"] = priority;
  return object;
}

Json pod(const std::string& of_job, const std::string& phase) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata",
           {{"name", of_job + "-0"}, {"namespace", "lab"}, {"ownerReferences", controlled_by(of_job, "u")}}},
          {"spec", {{"containers", Json::array({Json::object()})}}},
          {"status", {{"phase", phase}}}};
}

/// The order as text: "0runs 1urgent 2old".
std::string order_of(JobQueue& queue) {
  std::string order;
  for (const QueueEntry* entry : queue.entries())
    order += (order.empty() ? "" : " ") + std::to_string(entry->position) + entry->job.name;
  return order;
}

}  // namespace

TEST_CASE("queue: a job has no position while it waits for its next attempt, because no pod is in the line") {
  Json between = job("between", 1), failed = pod("between", "Failed");
  failed["status"]["containerStatuses"] = {
      {{"name", "main"},
       {"state", {{"terminated", {{"exitCode", 1}, {"finishedAt", "2026-01-01T00:00:05Z"}}}}}}};
  JobQueue queue;
  for (const Json& object : {between, failed, job("next", 2), pod("next", "Pending")}) queue.put(object);
  CHECK(order_of(queue) == "1next 0between");
  CHECK(queue.entries()[1]->job.cause_code == CauseCode::backoff);
  Json again = pod("between", "Pending");
  again["metadata"]["creationTimestamp"] = "2026-01-01T00:00:06Z";
  queue.put(again);
  CHECK(order_of(queue) == "1next 2between");
}

TEST_CASE("queue: a job whose priority class does not exist cannot start") {
  JobQueue queue;
  queue.put(job("usual", 2));
  queue.put(pod("usual", "Pending"));
  queue.put(job("odd", 1, "nope"));
  CHECK(queue.entries()[1]->job.cause.empty());  // perhaps the user may not read priority classes
  queue.put({{"kind", "PriorityClass"},
             {"metadata", {{"name", "system-node-critical"}}},
             {"value", 2'000'001'000}});
  CHECK(order_of(queue) == "1usual 0odd");
  CHECK(queue.entries()[1]->job.cause == "no priority class nope");
}

TEST_CASE("queue: for a choice of GPU types, the GPU type is the text of the choice") {
  JobQueue queue;
  Json claims = job("bert", 1);
  claims["metadata"]["annotations"]["kml.dev/gpus"] = "h100|a100:4";
  queue.put(claims);
  CHECK(queue.entries().at(0)->gpu_type == "h100|a100");
}

}  // namespace queue_places_test
