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

}  // namespace serve_manifests_test
