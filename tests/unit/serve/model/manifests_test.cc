#include "kml/serve/model/manifests.h"

#include <doctest/doctest.h>

#include <chrono>

#include "kml/kube/objects/idle.h"

namespace serve_manifests_test {

using namespace kml;
using namespace kml::serve;

namespace {

const Json kJob =
    Json::parse(R"({"metadata": {"name": "web", "namespace": "lab"}, "spec": {"template": {"spec": {
    "containers": [{"name": "main", "image": "any"}]}}}})");

}  // namespace

TEST_CASE("serve: an update keeps the idle limit, and starts a program that was scaled to zero") {
  Json asleep = serve_deployment(kJob, {.name = "web", .idle = std::chrono::minutes(10)});
  CHECK(api::idle_limit_of(asleep) == std::chrono::minutes(10));
  asleep["metadata"]["annotations"][std::string(api::kIdleReplicas)] = "3";
  asleep["spec"]["replicas"] = 0;
  REQUIRE(api::is_scaled_to_zero(asleep));

  const ServeSettings as_before = {.name = "web"},
                      never = {.name = "web", .replicas = 2, .idle = std::chrono::seconds(0)};
  const Json updated = updated_deployment(asleep, serve_deployment(kJob, as_before), as_before);
  CHECK(updated["spec"]["replicas"] == 3);
  CHECK(!updated["metadata"]["annotations"].contains(std::string(api::kIdleReplicas)));
  CHECK(api::idle_limit_of(updated) == std::chrono::minutes(10));

  const Json ended = updated_deployment(asleep, serve_deployment(kJob, never), never);
  CHECK(ended["spec"]["replicas"] == 2);
  CHECK(!api::idle_limit_of(ended));
}

TEST_CASE("serve: the number of replicas that a plan counts is the one that the update will have") {
  const auto deployment = [](int replicas, const char* when_used) {
    Json existing = serve_deployment(kJob, {.name = "web"});
    existing["spec"]["replicas"] = replicas;
    if (when_used) existing["metadata"]["annotations"][std::string(api::kIdleReplicas)] = when_used;
    return existing;
  };
  struct Row {
    const char* what;
    std::optional<long long> wanted;
    Json existing;
    long long planned;
  };
  for (const Row& row :
       {Row{"a new program", {}, nullptr, 1}, Row{"a new program with a number", 4, nullptr, 4},
        Row{"it runs", {}, deployment(2, nullptr), 2},
        Row{"it is scaled to zero because it was idle", {}, deployment(0, "3"), 3},
        Row{"a user scaled it to zero", {}, deployment(0, nullptr), 1},
        Row{"it is scaled to zero, and gets a number", 2, deployment(0, "3"), 2}}) {
    CAPTURE(row.what);
    const ServeSettings settings = {.name = "web", .replicas = row.wanted};
    CHECK(planned_replicas(settings, row.existing) == row.planned);
    if (!row.existing.is_null())
      CHECK(updated_deployment(row.existing, serve_deployment(kJob, settings),
                               settings)["spec"]["replicas"] == row.planned);
  }
}

}  // namespace serve_manifests_test
