#include "serve/model/serve.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "kml/base/error.h"
#include "support/fake_transport.h"

namespace serve_test {

using namespace kml;
using namespace kml::serve;

namespace {

constexpr const char* kDeployment = "/apis/apps/v1/namespaces/lab/deployments/web";
constexpr const char* kService = "/api/v1/namespaces/lab/services/web";
constexpr const char* kInferenceServices =
    "/apis/serving.kserve.io/v1beta1/namespaces/lab/inferenceservices/web";
constexpr const char* kSets = "/apis/apps/v1/namespaces/lab/replicasets";

struct Lab {
  FakeTransport transport;
  kube::Client client{transport};
  std::vector<std::string> followed;

  /// A function to wait for a rollout. The rollout ends in this way.
  FollowRollout rollouts(std::optional<RolloutFailure> failure = {}) {
    return [this, failure](const Rollout& rollout, std::chrono::seconds) {
      followed.push_back(rollout.name);
      return failure;
    };
  }
};

Json deployment(int revision) {
  return {{"metadata",
           {{"name", "web"},
            {"namespace", "lab"},
            {"uid", "d1"},
            {"labels", {{"kml.dev/serve", "web"}}},
            {"annotations", {{"deployment.kubernetes.io/revision", std::to_string(revision)}}}}},
          {"spec",
           {{"replicas", 1},
            {"template", {{"metadata", {{"labels", {{"app", "web"}}}}}, {"spec", Json::object()}}}}}};
}

Json replica_set(int revision, const std::string& rollout) {
  Json set = deployment(revision);
  set["metadata"]["name"] = "web-" + std::to_string(revision);
  set["metadata"]["ownerReferences"] = Json::array({{{"uid", "d1"}, {"controller", true}}});
  if (!rollout.empty()) set["metadata"]["annotations"]["kml.dev/rollout"] = rollout;
  return set;
}

Json list_of(std::vector<Json> items) {
  return {{"metadata", {{"resourceVersion", "1"}}}, {"items", std::move(items)}};
}

}  // namespace

TEST_CASE_FIXTURE(Lab, "serve: an object with the same name that kml serve did not create is left alone") {
  Json foreign = deployment(1);
  foreign["metadata"].erase("labels");
  transport.answer("GET", kDeployment, foreign);
  try {
    plan_serve(client, {.name = "web"}, deployment(0), {});
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.message == "Deployment web was not made by kml serve");
  }
}

TEST_CASE_FIXTURE(Lab, "undo: the last revision that was ready returns") {
  const Json before = deployment(2);
  transport.answer("GET", kDeployment, deployment(3));
  const Json sets = list_of({replica_set(1, "ready"), replica_set(2, "ready"), replica_set(3, "crashes")});
  transport.answer("GET", kSets, sets);
  transport.answer("GET", kSets, sets);
  transport.answer("PATCH", kDeployment, deployment(4));
  transport.answer("GET", kDeployment, deployment(4));
  transport.answer("GET", kSets, list_of({replica_set(4, "ready")}));
  const Undone undone = undo(client, "crashes", before, rollouts());
  CHECK(undone.outcome == Undone::Outcome::restored);
  CHECK(undone.revision == 2);
  CHECK(undone.kept_serving);
  CHECK(followed == std::vector<std::string>{"web"});
}

TEST_CASE_FIXTURE(Lab, "undo: an update to the same revision is not undone") {
  transport.answer("GET", kDeployment, deployment(2));
  // The outcome that was recorded for its revision stays, too.
  CHECK(undo(client, "crashes", deployment(2), rollouts()).outcome == Undone::Outcome::unchanged);
  CHECK(followed.empty());
}

TEST_CASE_FIXTURE(Lab, "undo: a program that was deleted meanwhile is not an error") {
  const Json none = {{"kind", "Status"}, {"reason", "NotFound"}};
  const auto answer_nothing = [&] {
    transport.answer("GET", kDeployment, none, 404);
    transport.answer("GET", kInferenceServices, none, 404);
  };
  const Json sets = list_of({replica_set(1, "ready"), replica_set(2, "crashes")});
  Undone::Outcome outcome = Undone::Outcome::gone;
  SUBCASE("before the outcome is recorded") {
    answer_nothing();
  }
  SUBCASE("before it is rolled back") {
    transport.answer("GET", kDeployment, deployment(2));
    transport.answer("GET", kSets, sets);
    transport.answer("GET", kSets, sets);
    transport.answer("PATCH", kDeployment, none, 404);
  }
  SUBCASE("while it is rolled back") {
    transport.answer("GET", kDeployment, deployment(2));
    transport.answer("GET", kSets, sets);
    transport.answer("GET", kSets, sets);
    transport.answer("PATCH", kDeployment, deployment(3));
    answer_nothing();
    outcome = Undone::Outcome::failed;
  }
  CHECK(undo(client, "crashes", deployment(1), rollouts(RolloutFailure{"it was deleted"})).outcome ==
        outcome);
}

TEST_CASE_FIXTURE(
    Lab, "undo: the result says why the earlier revision does not run either, or that none was ready") {
  transport.answer("GET", kDeployment, deployment(2));
  SUBCASE("none was ready") {
    const Json sets = list_of({replica_set(1, "crashed too"), replica_set(2, "crashes")});
    transport.answer("GET", kSets, sets);
    transport.answer("GET", kSets, sets);
    CHECK(undo(client, "crashes", deployment(1), rollouts()).outcome == Undone::Outcome::not_undone);
    CHECK(followed.empty());
  }
  SUBCASE("the earlier revision does not run either") {
    const Json sets = list_of({replica_set(1, "ready"), replica_set(2, "crashes")});
    transport.answer("GET", kSets, sets);
    transport.answer("GET", kSets, sets);
    transport.answer("PATCH", kDeployment, deployment(3));
    transport.answer("GET", kDeployment, deployment(3));
    transport.answer("GET", kSets, list_of({replica_set(3, "no image")}));
    const Undone undone = undo(client, "crashes", deployment(1), rollouts(RolloutFailure{"no image"}));
    CHECK(undone.outcome == Undone::Outcome::failed);
    CHECK(undone.cause == "no image");
  }
}

TEST_CASE_FIXTURE(Lab, "go back: to the named revision, or to the last one that was ready") {
  const Json sets = list_of({replica_set(1, "ready"), replica_set(2, "crashes"), replica_set(3, "ready")});
  const Json service = {{"metadata", {{"name", "web"}, {"namespace", "lab"}}},
                        {"spec", {{"ports", Json::array({{{"name", "http"}, {"targetPort", "http"}}})}}}};
  const auto answer_rollback = [&] {
    transport.answer("GET", kService, service);
    transport.answer("PATCH", kDeployment, deployment(4));
    transport.answer("GET", kDeployment, deployment(4));
    transport.answer("GET", kSets, list_of({replica_set(4, "ready")}));
  };
  transport.answer("GET", kSets, sets);
  SUBCASE("the last one that was ready") {
    answer_rollback();
    CHECK(go_back(client, deployment(3), {}, rollouts()).revision == 1);
  }
  SUBCASE("by number") {
    answer_rollback();
    CHECK(go_back(client, deployment(3), 2, rollouts()).revision == 2);
  }
  SUBCASE("the revision does not run") {
    transport.answer("GET", kService, service);
    transport.answer("PATCH", kDeployment, deployment(4));
    CHECK(go_back(client, deployment(3), 2, rollouts(RolloutFailure{"crashes"})).failure->cause == "crashes");
  }
  SUBCASE("the current revision is not an earlier one") {
    CHECK_THROWS_AS(go_back(client, deployment(3), 3, rollouts()), Error);
  }
}

}  // namespace serve_test
