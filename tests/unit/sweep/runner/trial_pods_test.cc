#include "sweep/runner/trial_pods.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/fake_transport.h"
#include "support/owner.h"

namespace kml::sweep::trial_pods_test {

namespace {

const SweepMarks kMarks{"s", "id", "team"};
constexpr const char* kPods = "/api/v1/namespaces/team/pods";
const sweep::TrialConditions kConditions{.pod_labels = {{"role", "main"}}};

const Json kMeta = {{"resourceVersion", "1"}};

Json trial(const std::string& name) {
  return {{"apiVersion", "lab.example/v1"},
          {"kind", "Run"},
          {"metadata", {{"name", name}, {"namespace", "team"}, {"uid", "uid of " + name}}}};
}

/// A pod of trial 3, or of another owner.
Json pod(const Json& labels, const std::string& uid = "uid of s-t3") {
  return {{"metadata",
           {{"name", "p"},
            {"namespace", "team"},
            {"uid", "p"},
            {"labels", labels},
            {"ownerReferences", controlled_by("s-t3", uid, "lab.example/v1", "Run")}}}};
}
Json list_of(const std::vector<Json>& items) {
  return {{"metadata", kMeta}, {"items", items}};
}
const Json kNone = list_of({});

}  // namespace

TEST_CASE("trial_pods: pods are selected by the sweep's labels, if the operator copies them to the pods") {
  FakeTransport transport;
  kube::Client client(transport);
  transport.answer("GET", kPods, list_of({pod({{"kml.dev/sweep", "s"}})}));
  CHECK(trial_pod_selector(client, kMarks, kConditions, {trial("s-t3")}, "3") ==
        "kml.dev/sweep=s,kml.dev/submit-id=id,kml.dev/trial=3");
}

TEST_CASE(
    "trial_pods: otherwise, pods are selected by the label with the object's name, and the primary labels") {
  FakeTransport transport;
  kube::Client client(transport);
  transport.answer("GET", kPods, kNone);
  transport.answer("GET", kPods, list_of({pod({{"role", "main"}, {"tool/run", "s-t3"}})}));
  CHECK(trial_pod_selector(client, kMarks, kConditions, {trial("s-t2"), trial("s-t3")}) ==
        "role=main,tool/run in (s-t2,s-t3)");
  CHECK(transport.requests.back().path.find("role") != std::string::npos);
}

TEST_CASE("trial_pods: other users' pods with these labels do not affect the selector") {
  FakeTransport transport;
  kube::Client client(transport);
  transport.answer("GET", kPods, list_of({pod({{"kml.dev/sweep", "s"}}, "uid of another")}));
  transport.answer("GET", kPods,
                   list_of({pod({{"role", "main"}, {"forged", "s-t3"}}, "uid of another"),
                            pod({{"role", "main"}, {"tool/run", "s-t3"}})}));
  CHECK(trial_pod_selector(client, kMarks, kConditions, {trial("s-t3")}) == "role=main,tool/run in (s-t3)");
}

TEST_CASE("trial_pods: if no pod exists yet, the selector has only kml's own labels") {
  FakeTransport transport;
  kube::Client client(transport);
  transport.answer("GET", kPods, kNone);
  transport.answer("GET", kPods, kNone);
  CHECK(trial_pod_selector(client, kMarks, {}, {trial("s-t3")}, "3") ==
        "kml.dev/sweep=s,kml.dev/submit-id=id,kml.dev/trial=3");
}

}  // namespace kml::sweep::trial_pods_test
