#include <algorithm>

#include "kml/api/quantity.h"
#include "kml/spec/gpu_types.h"
#include "render/overlay.h"

namespace kml::render {

namespace {

constexpr std::string_view kNvidia = "nvidia.com/";
constexpr std::string_view kAnyGpu = "nvidia.com/gpu";

bool is_gpu(std::string_view resource) {
  return resource.starts_with(kNvidia) || resource == "amd.com/gpu" || resource.starts_with("gpu.intel.com/");
}

Json is_in(std::string_view label, const std::vector<std::string_view>& values) {
  return {{"key", label}, {"operator", "In"}, {"values", values}};
}

/// Any one of these expressions singles out the nodes with the type; none where every node will do.
std::vector<Json> node_expressions(const std::string& type) {
  constexpr std::string_view kProduct = "nvidia.com/gpu.product";
  if (type.empty() || spec::gpu_resource(type) != kAnyGpu) return {};
  const spec::GpuType* known = spec::find_gpu_type(type);
  if (!known) return {is_in(kProduct, {type})};
  std::vector<Json> expressions = {is_in(kProduct, known->products)};
  if (!known->gke.empty()) expressions.push_back(is_in("cloud.google.com/gke-accelerator", known->gke));
  return expressions;
}

/// Terms are alternatives, so that each one of the pod's own is combined with each of ours.
void require_node(Json& pod, const std::vector<Json>& expressions) {
  if (expressions.empty()) return;
  Json& terms =
      pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"];
  if (terms.empty()) terms = Json::array({Json::object()});
  Json combined = Json::array();
  for (const Json& term : terms)
    for (const Json& expression : expressions) {
      combined.push_back(term);
      combined.back()["matchExpressions"].push_back(expression);
    }
  terms = std::move(combined);
}

void tolerate(Json& pod, Json toleration) {
  Json& tolerations = pod["tolerations"];
  const bool is_there = std::find(tolerations.begin(), tolerations.end(), toleration) != tolerations.end();
  if (!is_there) tolerations.push_back(std::move(toleration));
}

}  // namespace

void overlay_gpus(const spec::Gpus& gpus, Json& pod, Json& container) {
  const std::string resource = spec::gpu_resource(gpus.type);
  for (const char* side : {"requests", "limits"}) {
    if (Json* own = const_cast<Json*>(find(container, {"resources", side})); own && own->is_object()) {
      std::vector<std::string> replaced;
      for (const auto& [name, amount] : own->items())
        if (is_gpu(name)) replaced.push_back(name);
      for (const std::string& name : replaced) own->erase(name);
    }
    if (gpus.count > 0) container["resources"][side][resource] = gpus.count;
  }
  if (gpus.count == 0) return;
  require_node(pod, node_expressions(gpus.type));
  if (resource.starts_with(kNvidia))
    tolerate(pod, {{"key", kAnyGpu}, {"operator", "Exists"}, {"effect", "NoSchedule"}});
}

int gpus_of(const Json& pod_template) {
  constexpr int64_t kMost = 1'000'000;  // a manifest's numbers are not trusted
  int64_t sum = 0;
  const auto add = [&](const Json& limits) {
    for (const auto& [name, amount] : limits.items()) {
      if (!is_gpu(name)) continue;
      const std::string text = amount.is_string() ? amount.get<std::string>() : amount.dump();
      sum = std::clamp<int64_t>(sum + std::clamp<int64_t>(api::quantity_units(text).value_or(0), 0, kMost), 0,
                                kMost);
    }
  };
  for (const Json& container : array_at(pod_template, {"spec", "containers"}))
    add(object_at(container, {"resources", "limits"}));
  add(object_at(pod_template, {"resourcesPerNode", "limits"}));
  return static_cast<int>(sum);
}

}  // namespace kml::render
