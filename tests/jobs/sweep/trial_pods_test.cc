#include "kml/jobs/sweep/trial_pods.h"

#include <doctest/doctest.h>

#include <string>

#include "support/fake_transport.h"

namespace kml::jobs::trial_pods_test {

namespace {

const SweepMarks kMarks{"s", "id", "team"};
constexpr const char* kPods = "/api/v1/namespaces/team/pods";
const sweep::TrialConditions kConditions{.pod_labels = {{"role", "main"}}};

Json pods_with(const Json& labels) {
  return {{"metadata", {{"resourceVersion", "1"}}},
          {"items", Json::array({{{"metadata", {{"name", "p"}, {"labels", labels}}}}})}};
}
const Json kNone = {{"metadata", {{"resourceVersion", "1"}}}, {"items", Json::array()}};

}  // namespace

TEST_CASE("trial_pods: the sweep's labels, if the operator passes them on to the pods") {
  FakeTransport transport;
  kube::Client client(transport);
  transport.answer("GET", kPods, pods_with({{"kml.dev/sweep", "s"}}));
  CHECK(trial_pod_selector(client, kMarks, kConditions, {"s-t3"}, "3") ==
        "kml.dev/sweep=s,kml.dev/submit-id=id,kml.dev/trial=3");
}

TEST_CASE("trial_pods: otherwise the label that has the object's name, and the primary labels") {
  FakeTransport transport;
  kube::Client client(transport);
  transport.answer("GET", kPods, kNone);
  transport.answer("GET", kPods, pods_with({{"role", "main"}, {"tool/run", "s-t3"}}));
  CHECK(trial_pod_selector(client, kMarks, kConditions, {"s-t2", "s-t3"}) ==
        "role=main,tool/run in (s-t2,s-t3)");
  CHECK(transport.requests.back().path.find("role") != std::string::npos);
}

TEST_CASE("trial_pods: without pods, the selector that finds none") {
  FakeTransport transport;
  kube::Client client(transport);
  transport.answer("GET", kPods, kNone);
  transport.answer("GET", kPods, kNone);
  CHECK(trial_pod_selector(client, kMarks, {}, {"s-t3"}, "3") ==
        "kml.dev/sweep=s,kml.dev/submit-id=id,kml.dev/trial=3");
}

}  // namespace kml::jobs::trial_pods_test
