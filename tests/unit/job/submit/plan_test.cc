#include <doctest/doctest.h>

#include <sstream>

#include "kml/job/submit/submit.h"

namespace plan_test {

namespace {

using namespace kml;
using namespace kml::job;

SubmitRequest request_for(std::vector<spec::Setting> settings) {
  SubmitRequest request;
  request.settings = std::move(settings);
  request.command = {"python", "train.py"};
  request.namespace_name = "research";
  request.is_local = true;
  return request;
}

SubmitPlan plan_of(const SubmitRequest& request, const std::string& standard_input = "") {
  std::istringstream input(standard_input);
  return plan_submit(request, input);
}

}  // namespace

TEST_CASE("plan: a command becomes one named job of the template in the wanted namespace") {
  const SubmitPlan plan = plan_of(request_for({}));
  REQUIRE(plan.objects.size() == 1);
  CHECK(plan.template_name == "job");
  CHECK(string_at(plan.objects[0], {"metadata", "name"}).starts_with("train-"));
  CHECK(string_at(plan.objects[0], {"metadata", "namespace"}) == "research");
  CHECK(plan.submit_id == string_at(plan.objects[0], {"metadata", "labels", "kml.dev/submit-id"}));
}

TEST_CASE("plan: an unknown flag is rejected if the template does not have such a parameter") {
  SubmitRequest request = request_for({});
  request.unknown = {{"max_steps", "500", ""}};
  CHECK_THROWS_AS(plan_of(request), Error);
}

TEST_CASE("plan: submits that share a Secret give it one name; otherwise the name has the submit's id") {
  SubmitRequest request = request_for({{"secret", "TOKEN=-", {}}});
  const SubmitPlan own = plan_of(request, "abc");
  REQUIRE(own.belongings.size() == 1);
  CHECK(string_at(own.belongings[0].object, {"metadata", "name"}) == "kml-" + own.submit_id);

  request.secret_object = "kml-sweep-lr1";
  const SubmitPlan shared = plan_of(request, "abc");
  REQUIRE(shared.belongings.size() == 1);
  CHECK(string_at(shared.belongings[0].object, {"metadata", "name"}) == "kml-sweep-lr1");
}

TEST_CASE("plan: a secret cannot come from standard input if the manifests do") {
  SubmitRequest request = request_for({{"secret", "TOKEN=-", {}}});
  request.command.clear();
  request.manifests.emplace(1,
                            parse_json(R"({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"},
      "spec": {"template": {"spec": {"containers": [{"name": "main", "image": "x"}]}}}})",
                                       "a.json"));
  request.reads_standard_input = true;
  CHECK_THROWS_WITH(plan_of(request), doctest::Contains("read standard input"));
}

TEST_CASE("plan: jobs on the embedded server ignore a queue, with a note") {
  const SubmitPlan plan = plan_of(request_for({{"queue", "team", {}}}));
  CHECK(plan.objects[0].dump().find("kueue") == std::string::npos);
  REQUIRE(!plan.notes.empty());
  CHECK(plan.notes.back().find("queue or topology is ignored") != std::string::npos);
}

TEST_CASE("plan: a new claim is deleted with its pod, or is a separate object that stays") {
  SubmitRequest request = request_for({{"image", "x", {}}, {"mount", "new/1Gi:fast:/data", {}}});
  const auto volume = [](const SubmitPlan& plan) {
    return array_at(plan.objects.at(0), {"spec", "template", "spec", "volumes"}).at(0);
  };
  CHECK(volume(plan_of(request)).contains("emptyDir"));
  request.is_local = false;
  CHECK(volume(plan_of(request)).contains("ephemeral"));
  request.keeps_claims = true;
  for (const char* nodes : {"1", "2"}) {
    request.settings.push_back({"nodes", nodes, {}});
    const SubmitPlan plan = plan_of(request);
    REQUIRE(plan.objects.size() == 2);
    CHECK(plan.kept == 1);
    const Json& claim = plan.objects[1];
    const std::string name = string_at(claim, {"metadata", "name"});
    CHECK(name.starts_with("train-data-"));
    CHECK(string_at(claim, {"metadata", "namespace"}) == "research");
    CHECK(string_at(claim, {"spec", "storageClassName"}) == "fast");
    CHECK(array_at(claim, {"spec", "accessModes"}).at(0) ==
          (*nodes == '1' ? "ReadWriteOnce" : "ReadWriteMany"));
    CHECK(string_at(volume(plan), {"persistentVolumeClaim", "claimName"}) == name);
    CHECK(plan.notes.at(0).starts_with("claim " + name));
  }
  request.settings = {{"image", "x", {}}};
  CHECK_THROWS_WITH(plan_of(request), doctest::Contains("--keep needs"));
}

TEST_CASE("plan: a printed Job can be submitted again, without the selector that the server has generated") {
  const auto planned = [](const Json& selector, bool is_manual) {
    SubmitRequest request = request_for({});
    request.command.clear();
    Json job = {{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"metadata", {{"name", "a"}}}};
    Json& spec = job["spec"];
    spec["selector"]["matchLabels"] = selector;
    if (is_manual) spec["manualSelector"] = true;
    spec["template"]["metadata"]["labels"] = {{"team", "vision"}};
    spec["template"]["metadata"]["labels"].update(selector);
    spec["template"]["spec"]["containers"] =
        Json::array({{{"name", "main"}, {"image", "x"}, {"command", Json::array({"true"})}}});
    request.manifests.emplace(1, job);
    return plan_of(request).objects.at(0)["spec"];
  };
  for (const char* label : {"controller-uid", "batch.kubernetes.io/controller-uid"}) {
    const Json of_server = planned({{label, "u1"}}, false), of_user = planned({{label, "u1"}}, true);
    CHECK_FALSE(of_server.contains("selector"));
    CHECK_FALSE(object_at(of_server, {"template", "metadata", "labels"}).contains(label));
    CHECK(string_at(of_server, {"template", "metadata", "labels", "team"}) == "vision");
    CHECK(of_user.contains("selector"));
    CHECK(object_at(of_user, {"template", "metadata", "labels"}).contains(label));
  }
  CHECK(planned({{"app", "mine"}}, false).contains("selector"));
}

}  // namespace plan_test
