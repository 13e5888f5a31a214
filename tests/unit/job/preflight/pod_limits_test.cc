#include "job/preflight/pod_limits.h"

#include <doctest/doctest.h>

#include "support/fake_transport.h"

namespace pod_limits_test {

using namespace kml;
using namespace kml::job;

namespace {

const std::string kRanges = "/api/v1/namespaces/lab/limitranges",
                  kQuotas = "/api/v1/namespaces/lab/resourcequotas";

Json job_with(const Json& resources) {
  const Json container = {{"name", "main"}, {"resources", resources}};
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", {{"name", "bert"}, {"namespace", "lab"}}},
          {"spec", {{"template", {{"spec", {{"containers", Json::array({container})}}}}}}}};
}

/// A LimitRange for containers, or for pods.
Json range(const std::string& limit, const std::string& type = "Container") {
  Json parsed = parse_json(limit, "limit");
  parsed["type"] = type;
  return {{"metadata", {{"name", "small"}}}, {"spec", {{"limits", Json::array({parsed})}}}};
}

Json quota(const Json& hard) {
  return {{"metadata", {{"name", "few"}, {"namespace", "lab"}}},
          {"spec", {{"hard", hard}}},
          {"status", {{"hard", hard}, {"used", Json::object()}}}};
}

Json list_of(std::vector<Json> items) {
  return {{"kind", "List"}, {"metadata", Json::object()}, {"items", std::move(items)}};
}

}  // namespace

TEST_CASE("pod limits: a LimitRange or a quota may reject the pods of a job for good") {
  const Json none = Json::object(), one_cpu = {{"limits", {{"cpu", "1"}}}},
             wide = {{"requests", {{"cpu", "100m"}}}, {"limits", {{"cpu", "1"}}}};
  struct Row {
    const char* what;
    Json resources;
    std::vector<Json> ranges, quotas;
    std::string said;  ///< a part of the summary; empty if the pods may be allowed
  };
  for (const Row& row : std::vector<Row>{
           {"nothing limits it", one_cpu, {}, {}, ""},
           {"over the maximum",
            one_cpu,
            {range(R"({"max": {"cpu": "100m"}})")},
            {},
            "maximum cpu usage per Container is 100m, but limit is 1"},
           {"no limit", none, {range(R"({"max": {"cpu": "2"}})")}, {}, "is 2.  No limit is specified"},
           {"the range adds a limit",
            none,
            {range(R"({"max": {"cpu": "2"}, "default": {"cpu": "2"}})")},
            {},
            ""},
           {"the default is over its maximum",
            none,
            {range(R"({"default": {"cpu": "2"}})"), range(R"({"max": {"cpu": "1"}})")},
            {},
            "but limit is 2"},
           {"no request",
            none,
            {range(R"({"min": {"memory": "1Gi"}})")},
            {},
            "is 1024Mi.  No request is specified"},
           {"the request follows from the limit", one_cpu, {range(R"({"min": {"cpu": "1"}})")}, {}, ""},
           {"under the minimum", one_cpu, {range(R"({"min": {"cpu": "2"}})")}, {}, "but request is 1"},
           {"the ratio is too large",
            wide,
            {range(R"({"maxLimitRequestRatio": {"cpu": "4"}})")},
            {},
            "cpu max limit to request ratio per Container is 4, but provided ratio is 10.000000"},
           {"the pod is over the maximum",
            one_cpu,
            {range(R"({"max": {"cpu": "500m"}})", "Pod")},
            {},
            "maximum cpu usage per Pod is 500m"},
           {"the default limit is below the request",
            {{"requests", {{"cpu", "4"}}}},
            {range(R"({"default": {"cpu": "1"}})")},
            {},
            "gives its pods a limit that is below their request: spec.containers[0].resources.requests: "
            "Invalid value: \"4\": must be less than or equal to cpu limit of 1"},
           {"the default limit is above the request",
            {{"requests", {{"cpu", "100m"}}}},
            {range(R"({"default": {"cpu": "1"}})")},
            {},
            ""},
           {"the default request is under the minimum",
            none,
            {range(R"({"defaultRequest": {"cpu": "1"}, "min": {"cpu": "2"}})")},
            {},
            "but request is 1"},
           {"the default request is over a quota in total",
            none,
            {range(R"({"defaultRequest": {"cpu": "1"}})")},
            {quota({{"requests.cpu", "500m"}})},
            "quota few"},
           {"a range for claims",
            one_cpu,
            {range(R"({"max": {"storage": "1"}})", "PersistentVolumeClaim")},
            {},
            ""},
           {"over a quota in total", one_cpu, {}, {quota({{"limits.cpu", "500m"}})}, "quota few"},
           {"a quota that is full now", one_cpu, {}, {quota({{"limits.cpu", "1"}})}, ""},
           {"a quota wants a limit",
            none,
            {},
            {quota({{"limits.memory", "1Gi"}})},
            "quota few of namespace lab requires every pod to set limits.memory"},
           {"a range sets what the quota wants",
            none,
            {range(R"({"default": {"memory": "1Gi"}})")},
            {quota({{"limits.memory", "1Gi"}})},
            ""},
           {"a quota for other pods",
            none,
            {},
            {[] {
              Json other = quota({{"limits.memory", "1Gi"}});
              other["spec"]["scopes"] = {"Terminating"};
              return other;
            }()},
            ""},
       }) {
    CAPTURE(std::string(row.what));
    const auto cause = never_allowed(job_with(row.resources), row.ranges, row.quotas);
    CHECK(cause.has_value() == !row.said.empty());
    if (cause) CHECK(cause->summary.find(row.said) != std::string::npos);
  }
}

TEST_CASE("pod limits: a pod uses what its containers use together, or what it needs while it starts") {
  const auto container = [](const char* name, const char* cpu, bool is_sidecar = false) {
    Json made = {{"name", name}, {"resources", {{"limits", {{"cpu", cpu}}}}}};
    if (is_sidecar) made["restartPolicy"] = "Always";
    return made;
  };
  const Json main = container("main", "2");
  const auto init = [&](const char* cpu) { return container("init", cpu); };
  const auto sidecar = [&](const char* name, const char* cpu) { return container(name, cpu, true); };
  struct Row {
    const char* what;
    Json at_start;
    const char* most;  ///< the smallest maximum that allows the pod
  };
  for (const Row& row : std::vector<Row>{
           {"alone", Json::array(), "2"},
           {"a smaller init container", Json::array({init("1")}), "2"},
           {"a larger init container", Json::array({init("3")}), "3"},
           {"a sidecar", Json::array({sidecar("proxy", "1")}), "3"},
           {"two sidecars", Json::array({sidecar("proxy", "1"), sidecar("log", "500m")}), "3500m"},
           {"an init container after a sidecar", Json::array({sidecar("proxy", "1"), init("3")}), "4"},
           {"an init container before a sidecar", Json::array({init("3"), sidecar("proxy", "1")}), "3"},
       }) {
    CAPTURE(row.what);
    Json job = job_with(Json::object());
    job["spec"]["template"]["spec"] = {{"containers", Json::array({main})}, {"initContainers", row.at_start}};
    const auto cause_with = [&](const std::string& most) {
      return never_allowed(job, {range(R"({"max": {"cpu": ")" + most + R"("}})", "Pod")}, {});
    };
    CHECK_FALSE(cause_with(row.most));
    CHECK(cause_with("1999m"));
    const auto cause = cause_with("1");
    REQUIRE(cause);
    CHECK(cause->summary.ends_with(std::string("but limit is ") + row.most));
  }
}

TEST_CASE("pod limits: a quota that wants a limit wants it of init containers, too") {
  Json job = job_with({{"limits", {{"memory", "1Gi"}}}});
  CHECK_FALSE(never_allowed(job, {}, {quota({{"limits.memory", "8Gi"}})}));
  job["spec"]["template"]["spec"]["initContainers"] = Json::array({{{"name", "fetch"}}});
  CHECK(never_allowed(job, {}, {quota({{"limits.memory", "8Gi"}})}));
}

TEST_CASE(
    "pod limits: a namespace without limits is asked once, and jobs whose pods would be rejected are "
    "reported") {
  const std::vector<Json> objects = {job_with({{"limits", {{"cpu", "1"}}}})};
  FakeTransport transport;
  kube::Client client(transport);
  SUBCASE("limits") {
    transport.answer("GET", kRanges, list_of({range(R"({"max": {"cpu": "100m"}})")}));
    transport.answer("GET", kQuotas, list_of({}));
    const std::vector<std::string> notes = PodLimits(client, objects).notes();
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].starts_with(
        "job bert cannot get all of its pods: a limit range of namespace lab rejects its pods: "));
    CHECK(notes[0].ends_with("`kml list limits -n lab`"));
  }
  SUBCASE("none") {
    for (const std::string& path : {kRanges, kQuotas}) transport.answer("GET", path, list_of({}));
    CHECK(PodLimits(client, objects).notes().empty());
    CHECK(PodLimits(client, objects).notes().empty());
    CHECK(transport.requests.size() == 2);
  }
  SUBCASE("the user may not read them") {
    for (const std::string& path : {kRanges, kQuotas})
      transport.answer("GET", path, {{"kind", "Status"}, {"code", 403}}, 403);
    CHECK(PodLimits(client, objects).notes().empty());
  }
  SUBCASE("no jobs") {
    CHECK(PodLimits(client, {{{"kind", "ConfigMap"}}}).notes().empty());
  }
}

}  // namespace pod_limits_test
