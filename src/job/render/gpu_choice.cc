#include "job/render/gpu_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "kml/job/spec/gpu_types.h"
#include "kml/kube/objects/names.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/quantity.h"

namespace kml::render {

namespace {

constexpr int64_t kMebibyte = int64_t{1} << 20;
constexpr std::string_view kProductLabel = "nvidia.com/gpu.product", kMemoryLabel = "nvidia.com/gpu.memory",
                           kGkeLabel = "cloud.google.com/gke-accelerator";

Json in_expression(std::string_view label, const std::vector<std::string_view>& values) {
  return {{"key", label}, {"operator", "In"}, {"values", values}};
}

std::vector<Json> expressions_for(const std::string& type) {
  if (type.empty() || spec::gpu_resource(type) != "nvidia.com/gpu") return {};
  // GPU feature discovery labels nodes with the memory in MiB.
  if (const auto bytes = spec::least_memory(type))
    return {{{"key", kMemoryLabel},
             {"operator", "Gt"},
             {"values", {std::to_string((*bytes + kMebibyte - 1) / kMebibyte - 1)}}}};
  const spec::GpuType* known = spec::find_gpu_type(type);
  if (!known) return {in_expression(kProductLabel, {type})};
  std::vector<Json> expressions = {in_expression(kProductLabel, known->products)};
  if (!known->gke.empty()) expressions.push_back(in_expression(kGkeLabel, known->gke));
  return expressions;
}

/// The driver's productName has spaces where the node's label has hyphens.
std::string selector_of(const std::string& type) {
  if (const auto bytes = spec::least_memory(type))
    return fmt::format("device.capacity[\"{}\"].memory.compareTo(quantity(\"{}\")) >= 0", kGpuClass,
                       type.substr(2));
  const spec::GpuType* known = spec::find_gpu_type(type);
  const Json products = known ? Json(known->products) : Json({type});
  return fmt::format("device.attributes[\"{}\"].productName.replace(\" \", \"-\") in {}", kGpuClass,
                     products.dump());
}

Json request_for(const std::string& type, int count) {
  return {{"deviceClassName", kGpuClass},
          {"allocationMode", "ExactCount"},
          {"count", count},
          {"selectors", {{{"cel", {{"expression", selector_of(type)}}}}}}};
}

/// A pod's claim of two GPUs is "kml-gpus-2", so that they can be counted without reading the claim.
constexpr std::string_view kGpuClaim = "kml-gpus-";

bool is_of_choice(const Json& expression, const std::vector<std::vector<Json>>& choices) {
  return std::any_of(choices.begin(), choices.end(), [&](const std::vector<Json>& choice) {
    return std::find(choice.begin(), choice.end(), expression) != choice.end();
  });
}

/// Whether the expression selects nodes by their GPUs, as the expressions from expressions_for() do.
bool selects_gpus(const Json& expression) {
  const std::string key = string_at(expression, {"key"}), how = string_at(expression, {"operator"});
  return (how == "In" && (key == kProductLabel || key == kGkeLabel)) || (how == "Gt" && key == kMemoryLabel);
}

/// Removes the expressions for which `is_removed` returns true, and the fields that are then empty.
void remove_expressions(const std::function<bool(const Json&)>& is_removed, Json& pod) {
  Json* affinity = const_cast<Json*>(find(pod, {"affinity", "nodeAffinity"}));
  if (!affinity) return;
  const auto clean = [&](Json& term) {
    Json& expressions = term["matchExpressions"];
    if (expressions.is_array()) std::erase_if(expressions.get_ref<Json::array_t&>(), is_removed);
    if (expressions.empty()) term.erase("matchExpressions");
  };
  constexpr const char *kRequired = "requiredDuringSchedulingIgnoredDuringExecution",
                       *kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
  if (affinity->contains(kRequired)) {
    Json left = Json::array();
    for (Json term : array_at(*affinity, {kRequired, "nodeSelectorTerms"})) {
      clean(term);
      if (!term.empty() && std::find(left.begin(), left.end(), term) == left.end()) left.push_back(term);
    }
    if (left.empty())
      affinity->erase(kRequired);
    else
      (*affinity)[kRequired]["nodeSelectorTerms"] = std::move(left);
  }
  if (affinity->contains(kPreferred)) {
    Json left = Json::array();
    for (Json entry : array_at(*affinity, {kPreferred})) {
      clean(entry["preference"]);
      if (!entry["preference"].empty()) left.push_back(entry);
    }
    if (left.empty())
      affinity->erase(kPreferred);
    else
      (*affinity)[kPreferred] = std::move(left);
  }
  if (affinity->empty()) pod["affinity"].erase("nodeAffinity");
  if (pod["affinity"].empty()) pod.erase("affinity");
}

}  // namespace

std::vector<std::vector<Json>> node_choices(const std::string& type) {
  std::vector<std::vector<Json>> choices;
  for (const std::string& each : spec::alternative_types(type))
    if (std::vector<Json> expressions = expressions_for(each); !expressions.empty())
      choices.push_back(std::move(expressions));
  return choices;
}

void forget_gpu_types(Json& pod) {
  remove_expressions(selects_gpus, pod);
}

Json claim_spec(const spec::Gpus& gpus) {
  const std::vector<std::string> types = spec::alternative_types(gpus.type);
  Json request = {{"name", "gpus"}};
  if (types.size() == 1) {
    request["exactly"] = request_for(types[0], gpus.count);
  } else {
    for (const std::string& type : types) {
      Json choice = request_for(type, gpus.count);
      choice["name"] = api::to_dns_label(type);
      request["firstAvailable"].push_back(std::move(choice));
    }
  }
  return {{"devices", {{"requests", Json::array({std::move(request)})}}}};
}

void claim_gpus(const spec::Gpus& gpus, const std::string& template_name, Json& pod) {
  const std::string name = std::string(kGpuClaim) + std::to_string(gpus.count);
  const std::vector<std::vector<Json>> choices = node_choices(gpus.type);
  remove_expressions([&](const Json& expression) { return is_of_choice(expression, choices); }, pod);
  bool is_used = false;
  for (Json& container : pod["containers"]) {
    bool had_gpus = false;
    for (const char* side : {"requests", "limits"}) {
      Json* amounts = const_cast<Json*>(find(container, {"resources", side}));
      had_gpus = (amounts && amounts->is_object() && amounts->erase("nvidia.com/gpu") > 0) || had_gpus;
      if (amounts && amounts->empty()) container["resources"].erase(side);
    }
    if (had_gpus) container["resources"]["claims"].push_back({{"name", name}});
    is_used = is_used || had_gpus;
  }
  if (is_used)
    pod["resourceClaims"].push_back({{"name", name}, {"resourceClaimTemplateName", template_name}});
}

bool is_gpu_claim(const Json& claim) {
  return api::entry_name(claim).starts_with(kGpuClaim);
}

int64_t gpus_of_pod(const Json& pod_spec) {
  int64_t gpus = api::total_units(api::gpu_requests(pod_spec));
  for (const Json& claim : array_at(pod_spec, {"resourceClaims"}))
    if (is_gpu_claim(claim)) gpus += std::atoll(api::entry_name(claim).c_str() + kGpuClaim.size());
  return gpus;
}

int64_t gpus_of_trainer(const Json& trainer) {
  return api::total_units(api::gpu_amounts_of(object_at(trainer, {"resourcesPerNode", "limits"})));
}

}  // namespace kml::render
