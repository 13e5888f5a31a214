#include "kml/job/capacity/capacity.h"

#include <doctest/doctest.h>

#include "support/fake_transport.h"

namespace pod_usage_test {

using namespace kml;
using namespace kml::job;

namespace {

constexpr const char* kMetrics = "/apis/metrics.k8s.io/v1beta1/namespaces/lab/pods";
constexpr const char* kGpus =
    "/apis/custom.metrics.k8s.io/v1beta1/namespaces/lab/pods/%2A/DCGM_FI_DEV_GPU_UTIL";

std::map<std::string, PodUsage> usage(FakeTransport& transport) {
  kube::Client client(transport);
  return read_usage(client, "lab");
}

}  // namespace

TEST_CASE("pod usage: processors and memory are added over containers, GPUs come from DCGM's metric") {
  FakeTransport transport;
  transport.answer("GET", kMetrics, Json::parse(R"({
    "kind": "PodMetricsList", "apiVersion": "metrics.k8s.io/v1beta1", "items": [
      {"metadata": {"name": "bert-0", "namespace": "lab"}, "timestamp": "2026-01-01T00:00:00Z", "window": "15s",
       "containers": [{"name": "main", "usage": {"cpu": "1250000000n", "memory": "2048Ki"}},
                      {"name": "side", "usage": {"cpu": "250m", "memory": "1Mi"}}]},
      {"metadata": {"name": "idle", "namespace": "lab"}, "containers": [{"name": "main", "usage": {"cpu": "0", "memory": "0"}}]}]})"));
  transport.answer("GET", kGpus, Json::parse(R"({
    "kind": "MetricValueList", "apiVersion": "custom.metrics.k8s.io/v1beta1", "items": [
      {"describedObject": {"kind": "Pod", "namespace": "lab", "name": "bert-0", "apiVersion": "/v1"},
       "metricName": "DCGM_FI_DEV_GPU_UTIL", "timestamp": "2026-01-01T00:00:00Z", "value": "87500m"}]})"));
  auto pods = usage(transport);
  REQUIRE(pods.size() == 2);
  CHECK(pods["lab/bert-0"].cpus == 1.5);
  CHECK(pods["lab/bert-0"].memory == 3 << 20);
  CHECK(pods["lab/bert-0"].gpu_percent == 87.5);
  CHECK(pods["lab/idle"].cpus == 0.0);
  CHECK_FALSE(pods["lab/idle"].gpu_percent);
}

TEST_CASE("pod usage: is empty if no metrics are served, allowed or measured") {
  FakeTransport transport;
  const Json none = {{"kind", "Status"}};
  SUBCASE("not served") {
    transport.answer("GET", kMetrics, none, 404);
    transport.answer("GET", kGpus, none, 404);
  }
  SUBCASE("not allowed") {
    transport.answer("GET", kMetrics, none, 403);
    transport.answer("GET", kGpus, none, 403);
  }
  SUBCASE("nothing measured yet") {
    transport.answer("GET", kMetrics, {{"items", Json::array()}});
    transport.answer("GET", kGpus, {{"items", Json::array()}});
  }
  CHECK(usage(transport).empty());
}

}  // namespace pod_usage_test
