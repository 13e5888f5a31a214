#include "local/usage/metrics.h"

#include <fmt/format.h>

#include <algorithm>

#include "kml/base/text.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/usage.h"
#include "local/api/api_error.h"
#include "local/api/selection.h"
#include "local/shim/pod_cgroup.h"
#include "local/shim/pod_folder.h"
#include "local/shim/status_file.h"
#include "local/store/object.h"

namespace kml::local {

using namespace std::chrono_literals;

namespace {

constexpr std::string_view kRoot = "/apis/metrics.k8s.io/v1beta1/";
constexpr const char* kVersion = "metrics.k8s.io/v1beta1";

/// The pid of the pod's shim; 0 if none is running. The pod's program may have written the claim, so this
/// checks the command line of the process in the claim.
pid_t shim_of(const PodFolder& folder) {
  const Claim claim = read_claim(folder);
  if (claim.state != Claim::held || claim.owner <= 0) return 0;
  const std::string words = read_kernel_file("/proc/" + std::to_string(claim.owner) + "/cmdline");
  return contains(words, folder.path.filename().string()) ? claim.owner : 0;
}

/// CPU in nanocores and memory in KiB, which are the kubelet's units.
Json quantities(double cpus, int64_t memory) {
  return {{"cpu", fmt::format("{}n", static_cast<int64_t>(std::max(cpus, 0.0) * 1e9))},
          {"memory", fmt::format("{}Ki", memory / 1024)}};
}

Json metrics_object(const char* kind, const Json& of, Time now, nanoseconds window) {
  Json metadata = {{"name", api::name_of(of)}, {"creationTimestamp", rfc3339(now)}};
  set_said(metadata, {{"namespace", api::namespace_of(of)}, {"labels", api::labels_of(of)}});
  const double seconds = std::chrono::duration<double>(window).count();
  return {{"kind", kind},
          {"apiVersion", kVersion},
          {"metadata", std::move(metadata)},
          {"timestamp", rfc3339(now)},
          {"window", fmt::format("{:.3f}s", seconds)}};
}

Json list_of(const char* kind, Json items) {
  return {
      {"kind", kind}, {"apiVersion", kVersion}, {"metadata", Json::object()}, {"items", std::move(items)}};
}

}  // namespace

Metrics::Rate Metrics::rate_of(const std::string& what, double cpu_seconds, Time began) {
  const Time now = clock_.now();
  auto& [before, last] = samples_.try_emplace(what, Sample{began, 0}, Sample{began, 0}).first->second;
  if (now - last.time >= 1s) before = last;
  const nanoseconds window = std::max<nanoseconds>(now - before.time, 1ms);
  const double used = std::max(cpu_seconds - before.cpu_seconds, 0.0);
  if (now - last.time >= 1s) last = {now, cpu_seconds};
  return {used / std::chrono::duration<double>(window).count(), window};
}

std::optional<Json> Metrics::of_pod(const Json& pod, const ProcessTable& processes) {
  if (api::phase_of(pod) != "Running") return {};
  const PodFolder folder = pod_folder(folder_, api::uid_of(pod));
  const pid_t shim = shim_of(folder);
  const auto status = read_status(folder);
  if (shim == 0 || !status) return {};
  Json containers = Json::array(), so_far = Json::object();
  nanoseconds window = 0ns;
  for (const Json& container : array_at(*status, {"containerStatuses"})) {
    const auto keeper = static_cast<pid_t>(int_at(container, {kKeeper}));
    const auto began = api::time_at(container, {"state", "running", "startedAt"});
    if (!began || !processes.is_child(keeper, shim)) continue;
    const ProcessUsage usage = processes.below(keeper);
    const std::string name = api::entry_name(container);
    const Rate rate =
        rate_of(api::uid_of(pod) + "/" + name + "/" + std::to_string(keeper), usage.cpu_seconds, *began);
    window = std::max(window, rate.window);
    containers.push_back({{"name", name}, {"usage", quantities(rate.cpus, usage.memory)}});
    api::ContainerUsage in_all{usage.cpu_seconds, std::max(usage.peak_process, usage.memory), 0};
    if (const Json* before = find(container, {kUsed})) in_all.add(api::container_usage_from_json(*before));
    so_far[name] = to_json(in_all);
  }
  if (containers.empty()) return {};
  Json metrics = metrics_object("PodMetrics", pod, clock_.now(), window);
  metrics["metadata"]["annotations"] = {{api::kUsage, so_far.dump()}};
  metrics["containers"] = std::move(containers);
  return metrics;
}

Json Metrics::of_pods(const HttpRequest& request, const std::string& namespace_name) {
  const ApiPath path{&kinds::pod, namespace_name, "", ""};
  const Selection selection(path, request);
  const ProcessTable processes;
  Json items = Json::array();
  for (const ObjectPtr& pod : store_.list(kinds::pod, namespace_name))
    if (selection.matches(*pod))
      if (auto metrics = of_pod(*pod, processes)) items.push_back(std::move(*metrics));
  return list_of("PodMetricsList", std::move(items));
}

Json Metrics::of_node(const Json& node) {
  const ProcessUsage usage = machine_usage();
  const double up = std::atof(read_kernel_file("/proc/uptime").c_str());
  const Time booted =
      clock_.now() - std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(up));
  const Rate rate = rate_of(api::name_of(node), usage.cpu_seconds, booted);
  Json metrics = metrics_object("NodeMetrics", node, clock_.now(), rate.window);
  metrics["usage"] = quantities(rate.cpus, usage.memory);
  return metrics;
}

std::optional<HttpResponse> Metrics::answer(const HttpRequest& request) {
  if (!request.path.starts_with(kRoot)) return {};
  if (request.method != "GET") throw api_error(405, "MethodNotAllowed", "metrics can only be read");
  // Limits the number of samples, because samples of deleted pods stay in the map.
  constexpr size_t kMostSamples = 20'000;
  if (samples_.size() > kMostSamples) samples_.clear();
  const std::vector<std::string> parts = split(std::string_view(request.path).substr(kRoot.size()), '/');
  if (parts[0] == "nodes" && parts.size() <= 2) {
    Json items = Json::array();
    for (const ObjectPtr& node : store_.list(kinds::node, "")) {
      if (parts.size() == 2 && api::name_of(*node) != parts[1]) continue;
      items.push_back(of_node(*node));
    }
    if (parts.size() == 1) return json_response(200, list_of("NodeMetricsList", std::move(items)));
    if (items.empty()) throw not_found(kinds::node, parts[1]);
    return json_response(200, items[0]);
  }
  if (parts == std::vector<std::string>{"pods"}) return json_response(200, of_pods(request, ""));
  const bool is_namespaced = parts.size() >= 3 && parts[0] == "namespaces" && parts[2] == "pods";
  if (is_namespaced && parts.size() == 3) return json_response(200, of_pods(request, parts[1]));
  if (!is_namespaced || parts.size() != 4) throw api_error(404, "NotFound", "404 page not found");
  const ObjectPtr pod = store_.get(kinds::pod, parts[1], parts[3]);
  const auto metrics = pod ? of_pod(*pod, ProcessTable()) : std::nullopt;
  if (!metrics)
    throw api_error(404, "NotFound",
                    fmt::format("podmetrics.metrics.k8s.io \"{}/{}\" not found", parts[1], parts[3]));
  return json_response(200, *metrics);
}

}  // namespace kml::local
