#include "local/controllers/deployment_plan.h"

#include <doctest/doctest.h>

#include "kml/base/text.h"
#include "kml/kube/objects/object.h"
#include "local/controllers/replica_set_controller.h"

namespace deployment_plan_test {

using namespace kml;
using namespace kml::local;

namespace {

Json deployment(long long replicas, const Json& surge = 1, const Json& unavailable = 0) {
  return {
      {"apiVersion", "apps/v1"},
      {"kind", "Deployment"},
      {"metadata", {{"name", "web"}, {"namespace", "default"}, {"uid", "1"}, {"generation", 1}}},
      {"spec",
       {{"replicas", replicas},
        {"progressDeadlineSeconds", 60},
        {"selector", {{"matchLabels", {{"app", "web"}}}}},
        {"strategy",
         {{"type", "RollingUpdate"},
          {"rollingUpdate", {{"maxSurge", surge}, {"maxUnavailable", unavailable}}}}},
        {"template", {{"metadata", {{"labels", {{"app", "web"}}}}}, {"spec", {{"containers", "new"}}}}}}}};
}

/// `desired` is the size that the Deployment had when the ReplicaSet was scaled.
ObjectPtr set_of(const std::string& name, long long replicas, long long available, long long desired = 4) {
  return std::make_shared<Json>(Json{
      {"metadata", {{"name", name}, {"annotations", {{kDesiredReplicas, std::to_string(desired)}}}}},
      {"spec", {{"replicas", replicas}, {"template", {{"spec", {{"containers", name}}}}}}},
      {"status", {{"replicas", replicas}, {"readyReplicas", available}, {"availableReplicas", available}}}});
}

std::string text_of(const std::vector<Scaling>& steps) {
  std::vector<std::string> parts;
  for (const Scaling& step : steps)
    parts.push_back(api::name_of(*step.set) + "=" + std::to_string(step.replicas));
  return join(parts, " ");
}

Json condition_of(const Json& status, const std::string& type) {
  for (const Json& condition : status["conditions"])
    if (condition["type"] == type) return condition;
  return nullptr;
}

const Time kStart = parse_rfc3339("2026-11-25T12:00:00Z").value();

}  // namespace

TEST_CASE("deployment: a rolling update goes as far as its limits allow") {
  Json web = deployment(4);
  std::string steps;
  ReplicaSets sets;
  SUBCASE("one more pod may exist, so the new ReplicaSet starts with one") {
    sets = {set_of("new", 0, 0), {set_of("old", 4, 4)}};
    steps = "new=1";
  }
  SUBCASE("no old pod is stopped before the new one is available") {
    sets = {set_of("new", 1, 0), {set_of("old", 4, 4)}};
    steps = "";
  }
  SUBCASE("an old pod is stopped once the new one is available") {
    sets = {set_of("new", 1, 1), {set_of("old", 4, 4)}};
    steps = "old=3";
  }
  SUBCASE("old pods that are not available are stopped first, then as many as may be missing") {
    sets = {set_of("new", 1, 0), {set_of("older", 1, 0), set_of("old", 3, 3)}};
    web["spec"]["strategy"]["rollingUpdate"] = {{"maxSurge", 0}, {"maxUnavailable", 2}};
    steps = "older=0 old=2";
  }
  SUBCASE("percentages: maxSurge is rounded up, maxUnavailable is rounded down") {
    web["spec"]["strategy"]["rollingUpdate"] = {{"maxSurge", "30%"}, {"maxUnavailable", "30%"}};
    sets = {set_of("new", 0, 0), {set_of("old", 4, 4)}};
    steps = "new=2";
  }
  SUBCASE("a ReplicaSet that is too large shrinks") {
    sets = {set_of("new", 6, 6), {}};
    steps = "new=4";
  }
  SUBCASE("the rollout is complete") {
    sets = {set_of("new", 4, 4), {set_of("old", 0, 0)}};
    steps = "";
  }
  CHECK(text_of(next_rolling_step(web, sets)) == steps);
}

TEST_CASE("deployment: a new size during a rollout is distributed in proportion") {
  const Json web = deployment(8, 2);
  const ReplicaSets sets{set_of("new", 2, 2), {set_of("old", 4, 4)}};
  CHECK(has_new_size(web, sets));
  CHECK(text_of(scaled_in_proportion(web, sets)) == "old=7 new=3");
  CHECK_FALSE(has_new_size(web, {set_of("new", 8, 8, 8), {set_of("old", 0, 0)}}));
  CHECK(text_of(scaled_in_proportion(web, {set_of("new", 4, 4), {}})) == "new=8");
}

TEST_CASE("deployment: the current ReplicaSet has the same template, apart from the hash") {
  Json web = deployment(1);
  Json made = new_replica_set(web, 0);
  const std::string hash = string_at(made, {"spec", "template", "metadata", "labels", kTemplateHash});
  CHECK(made["metadata"]["name"] == "web-" + hash);
  CHECK(made["spec"]["selector"]["matchLabels"][std::string(kTemplateHash)] == hash);
  CHECK(new_replica_set(web, 1)["metadata"]["name"] != made["metadata"]["name"]);
  const auto set = std::make_shared<const Json>(made);
  CHECK(sort_replica_sets(web, {set}).current == set);
  web["spec"]["template"]["spec"]["containers"] = "other";
  CHECK(sort_replica_sets(web, {set}).old == std::vector<ObjectPtr>{set});
}

TEST_CASE("deployment: Progressing reports an updated ReplicaSet, the completed rollout, or a timeout") {
  Json web = deployment(2, 1, 1);
  // The pods are created, but none runs yet.
  set_deployment_condition(web["status"], "Progressing", "True", "NewReplicaSetCreated", "", kStart);
  const ReplicaSets none{set_of("new", 2, 0), {}};
  Json status = deployment_status(web, none, kStart);
  CHECK(status["unavailableReplicas"] == 2);
  CHECK(condition_of(status, "Available")["reason"] == "MinimumReplicasUnavailable");
  CHECK(condition_of(status, "Progressing")["reason"] == "ReplicaSetUpdated");  // two pods exist now
  web["status"] = status;
  CHECK(progress_deadline(web) == kStart + std::chrono::seconds(60));

  status = deployment_status(web, none, kStart + std::chrono::seconds(59));
  CHECK(condition_of(status, "Progressing")["status"] == "True");
  status = deployment_status(web, none, kStart + std::chrono::seconds(60));
  CHECK(condition_of(status, "Progressing")["reason"] == "ProgressDeadlineExceeded");
  CHECK(condition_of(status, "Progressing")["status"] == "False");

  status = deployment_status(web, {set_of("new", 2, 2), {}}, kStart + std::chrono::seconds(30));
  CHECK(condition_of(status, "Progressing")["reason"] == "NewReplicaSetAvailable");
  CHECK(condition_of(status, "Available")["status"] == "True");
  CHECK(is_rolled_out(web, status));
  web["status"] = status;
  CHECK_FALSE(progress_deadline(web));
}

TEST_CASE("replica set: pods that are not ready, or were ready for a shorter time, are deleted first") {
  const auto pod = [](const std::string& phase, bool ready, const std::string& since, const std::string& made,
                      int restarts = 0) {
    return Json{
        {"metadata", {{"creationTimestamp", made}}},
        {"spec", {{"nodeName", phase == "Pending" ? "" : "n"}}},
        {"status",
         {{"phase", phase},
          {"conditions",
           {{{"type", "Ready"}, {"status", ready ? "True" : "False"}, {"lastTransitionTime", since}}}},
          {"containerStatuses", {{{"restartCount", restarts}}}}}}};
  };
  const std::string early = "2026-11-25T12:00:00Z", late = "2026-11-25T12:05:00Z";
  const Json ready = pod("Running", true, early, early);
  CHECK(is_deleted_first(pod("Pending", false, late, early), ready));
  CHECK(is_deleted_first(pod("Running", false, late, early), ready));
  CHECK(is_deleted_first(pod("Running", true, late, early), ready));
  CHECK(is_deleted_first(pod("Running", true, early, early, 2), ready));
  CHECK(is_deleted_first(pod("Running", true, early, late), ready));
  CHECK_FALSE(is_deleted_first(ready, pod("Running", false, late, late)));
  Json cheap = ready;
  cheap["metadata"]["annotations"]["controller.kubernetes.io/pod-deletion-cost"] = "-5";
  CHECK(is_deleted_first(cheap, ready));
}

}  // namespace deployment_plan_test
