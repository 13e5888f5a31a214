#include "kml/kube/objects/pod_fit.h"

#include <doctest/doctest.h>

#include "kml/base/text.h"
#include "kml/kube/objects/pod.h"
#include "support/pod_fit_cases.h"

namespace pod_fit_test {

using namespace kml;
using namespace kml::api;

namespace {

std::string reason_of(const Json& node, const Json& pod_spec) {
  const std::string unsuitable = unsuitable_because(node, pod_spec);
  if (!unsuitable.empty()) return unsuitable;
  return join(shortages(pod_requests(pod_spec), amounts_of(object_at(node, {"status", "allocatable"}))),
              ", ");
}

Json container(const Json& requests, const Json& limits = Json::object()) {
  return {{"name", "main"}, {"resources", {{"requests", requests}, {"limits", limits}}}};
}

}  // namespace

TEST_CASE("pod fit: a node accepts exactly the pods that kube-scheduler binds to it") {
  const auto cases = test::pod_fit_cases();
  CHECK(cases.size() > 50);
  for (const auto& item : cases) {
    CAPTURE(string_at(item.pod, {"metadata", "name"}));
    CHECK(reason_of(item.node, object_at(item.pod, {"spec"})) == item.reason);
  }
}

TEST_CASE("pod fit: a toleration with Gt or Lt compares numbers as kube-scheduler does") {
  const struct {
    const char *op, *bound, *taint;
    bool tolerates;
  } kCases[] = {{"Gt", "100", "200", true},   {"Gt", "100", "100", false},   {"Gt", "200", "100", false},
                {"Gt", "-100", "-50", true},  {"Lt", "200", "100", true},    {"Lt", "100", "100", false},
                {"Lt", "100", "200", false},  {"Lt", "0", "-1", true},       {"Gt", "0100", "200", false},
                {"Gt", "+100", "200", false}, {"Gt", "100", "0200", false},  {"Lt", "100", "+20", false},
                {"Gt", "", "200", false},     {"Gt", "100", "", false},      {"Lt", "100", "low", false},
                {"Gt", "-", "200", false},    {"Equal", "100", "100", true}, {"Equal", "100", "200", false}};
  for (const auto& [op, bound, taint, is_tolerated] : kCases) {
    CAPTURE(op);
    CAPTURE(bound);
    CAPTURE(taint);
    const Json spec = {
        {"tolerations", {{{"key", "sla"}, {"operator", op}, {"value", bound}, {"effect", "NoSchedule"}}}}};
    CHECK(tolerates(spec, {{"key", "sla"}, {"value", taint}, {"effect", "NoSchedule"}}) == is_tolerated);
    CHECK_FALSE(tolerates(spec, {{"key", "other"}, {"value", taint}, {"effect", "NoSchedule"}}));
  }
}

TEST_CASE(
    "pod fit: a resource that the pod does not request is never missing, even if a node is overcommitted") {
  CHECK(fits({{"cpu", 0}, {"pods", 1000}}, {{"cpu", -500}, {"pods", 1000}}));
  CHECK(shortages({{"cpu", 1}, {"pods", 1000}}, {{"cpu", -500}, {"pods", 0}}) ==
        std::vector<std::string>{"Insufficient cpu", "Too many pods"});
}

TEST_CASE("pod fit: overhead is added to requests, and to limits if they are set") {
  const Json spec = {{"containers", {container({{"cpu", "1"}, {"memory", "1Ki"}}, {{"cpu", "2"}})}},
                     {"overhead", {{"cpu", "250m"}, {"memory", 24}}}};
  CHECK(pod_requests(spec) == Amounts{{"cpu", 1250}, {"memory", 1048'000}, {"pods", 1000}});
  CHECK(pod_limits(spec) == Amounts{{"cpu", 2250}});
}

TEST_CASE("pod fit: a limit of huge pages is also the request for them") {
  const Json spec = {{"containers", {container({{"hugepages-2Mi", "2Mi"}})}},
                     {"resources", {{"limits", {{"hugepages-2Mi", "4Mi"}, {"nvidia.com/gpu", 1}}}}}};
  CHECK(pod_requests(spec) == Amounts{{"hugepages-2Mi", int64_t{4 << 20} * kMilli}, {"pods", kMilli}});
}

TEST_CASE("pod fit: limits are added up in the same way as requests") {
  Json sidecar = container({}, {{"cpu", "2"}});
  sidecar["restartPolicy"] = "Always";
  const Json spec = {{"containers", {container({}, {{"cpu", "1"}})}},
                     {"initContainers", {sidecar, container({}, {{"cpu", "3"}})}}};
  CHECK(pod_limits(spec) == Amounts{{"cpu", 5000}});
}

}  // namespace pod_fit_test
