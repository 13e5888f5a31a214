#include <doctest/doctest.h>

#include "job/why/causes.h"
#include "kml/job/why/cause.h"

namespace volcano_cause_test {

using namespace kml;
using namespace kml::job;

Json owner(const char* name) {
  return {{"apiVersion", "batch.volcano.sh/v1alpha1"},
          {"kind", "Job"},
          {"name", name},
          {"uid", name},
          {"controller", true}};
}

Json volcano_job(const char* name, int pods, int gpus) {
  const Json pod = {
      {"spec", {{"containers", {{{"name", "m"}, {"resources", {{"limits", {{"nvidia.com/gpu", gpus}}}}}}}}}}};
  return {{"apiVersion", "batch.volcano.sh/v1alpha1"},
          {"kind", "Job"},
          {"metadata", {{"name", name}, {"namespace", "vol"}, {"uid", name}}},
          {"spec", {{"queue", "vq"}, {"tasks", {{{"replicas", pods}, {"template", pod}}}}}},
          {"status", {{"state", {{"phase", "Pending"}}}}}};
}

Json group_of(const char* job, const char* phase) {
  return {{"metadata", {{"name", job}, {"namespace", "vol"}, {"ownerReferences", {owner(job)}}}},
          {"spec", {{"queue", "vq"}}},
          {"status", {{"phase", phase}}}};
}

Json running_pod(const char* job, int gpus) {
  return {{"metadata",
           {{"name", std::string(job) + "-0"}, {"namespace", "vol"}, {"ownerReferences", {owner(job)}}}},
          {"spec",
           {{"nodeName", "n1"},
            {"containers", {{{"name", "m"}, {"resources", {{"limits", {{"nvidia.com/gpu", gpus}}}}}}}}}},
          {"status", {{"phase", "Running"}}}};
}

/// The queue vq with 8 GPUs, of which v1 uses 4.
Facts facts_of(const Json& job) {
  Facts facts{.job = job};
  facts.pod_groups = std::vector<Json>{group_of("v1", "Running"), group_of("v2", "Pending")};
  facts.volcano_queue = {{"metadata", {{"name", "vq"}}},
                         {"spec", {{"capability", {{"nvidia.com/gpu", 8}}}}},
                         {"status", {{"state", "Open"}, {"allocated", {{"nvidia.com/gpu", "4"}}}}}};
  facts.active_pods = std::vector<Json>{running_pod("v1", 4)};
  return facts;
}

TEST_CASE("Volcano: a gang that waits for its queue names what is missing, who holds it, and what helps") {
  const Json job = volcano_job("v2", 8, 1);
  const auto cause = volcano_cause(facts_of(job));
  REQUIRE(cause);
  CHECK(text_of(cause->code) == "queue-quota");
  CHECK(cause->summary == "Volcano queue vq has 8 GPUs, and 4 GPUs are used: needs 4 GPUs more");
  REQUIRE(cause->holders.size() == 1);
  CHECK(cause->holders[0].kind == "VolcanoJob");
  CHECK(cause->holders[0].name == "v1");
  REQUIRE(cause->remedies.size() == 1);
  CHECK(cause->remedies[0].command.find("kml cancel") == 0);
}

TEST_CASE(
    "Volcano: resources that Volcano keeps for a job without pods are in use until the job is deleted") {
  const Json job = volcano_job("v2", 8, 1);
  Facts facts = facts_of(job);
  Json promised = group_of("v1", "Inqueue");
  promised["spec"]["minResources"] = {{"nvidia.com/gpu", "6"}};
  facts.pod_groups = std::vector<Json>{promised, group_of("v2", "Pending")};
  facts.active_pods->clear();
  facts.volcano_queue->erase("status");
  const auto cause = volcano_cause(facts);
  REQUIRE(cause);
  CHECK(cause->summary == "Volcano queue vq has 8 GPUs, and 6 GPUs are used: needs 6 GPUs more");
  REQUIRE(cause->remedies.size() == 1);
  CHECK(cause->remedies[0].command.find("kml delete") == 0);
}

TEST_CASE("Volcano: memory is printed as a size, and a part of a CPU as a decimal number") {
  for (const auto& [resource, most, used, words] : std::vector<std::array<std::string, 4>>{
           {"memory", "4Gi", "3Gi",
            "4 GiB of memory, and 3 GiB of memory are used: needs 1 GiB of memory more"},
           {"cpu", "4", "2500m", "4 CPUs, and 2.5 CPUs are used: needs 0.5 CPUs more"}}) {
    Json job = volcano_job("v2", 1, 0);
    job["spec"]["tasks"][0]["template"]["spec"]["containers"][0]["resources"] = {
        {"requests", {{resource, resource == "cpu" ? "2" : "2Gi"}}}};
    Facts facts = facts_of(job);
    facts.volcano_queue = {{"metadata", {{"name", "vq"}}},
                           {"spec", {{"capability", {{resource, most}}}}},
                           {"status", {{"state", "Open"}, {"allocated", {{resource, used}}}}}};
    const auto cause = volcano_cause(facts);
    REQUIRE_MESSAGE(cause, resource);
    CHECK(cause->summary == "Volcano queue vq has " + words);
  }
}

TEST_CASE("Volcano: a job that can never start differs from one that waits") {
  for (const auto& [job, change, wanted] : std::vector<std::tuple<Json, Json, const char*>>{
           {volcano_job("v2", 3, 4), Json::object(), "queue-too-large"},
           {volcano_job("v2", 8, 1), {{"status", {{"state", "Closed"}}}}, "queue-stopped"},
           {volcano_job("v2", 4, 1), Json::object(), ""},     // the job fits, so something else holds it back
           {volcano_job("v1", 4, 1), Json::object(), ""},     // it runs
           {volcano_job("v3", 8, 1), Json::object(), ""}}) {  // the job has no PodGroup yet
    Facts facts = facts_of(job);
    facts.volcano_queue->merge_patch(change);
    const auto cause = volcano_cause(facts);
    const std::string code = cause ? std::string(text_of(cause->code)) : "";
    CHECK_MESSAGE(code == wanted, job.dump());
  }
  const Json job = volcano_job("v2", 8, 1);
  Facts facts = facts_of(job);
  facts.volcano_queue.reset();
  CHECK_FALSE(volcano_cause(facts));  // the user may not read queues
  facts.volcano_queue_is_missing = true;
  CHECK(text_of(volcano_cause(facts)->code) == "queue-missing");
}

}  // namespace volcano_cause_test
