#include "job/render/gpu_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <set>

#include "job/render/overlay.h"
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
constexpr const char *kWholeGpu = "nvidia.com/gpu",
                     *kRequired = "requiredDuringSchedulingIgnoredDuringExecution",
                     *kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

Json in_expression(std::string_view label, const std::vector<std::string_view>& values) {
  return {{"key", label}, {"operator", "In"}, {"values", values}};
}

std::vector<Json> expressions_for(const std::string& type) {
  if (type.empty() || spec::is_resource(type) || spec::gpu_resource(type) != kWholeGpu) return {};
  // GPU feature discovery labels nodes with the memory in MiB.
  if (const auto bytes = spec::least_memory(type))
    return {
        {{"key", kMemoryLabel}, {"operator", "Gt"}, {"values", {std::to_string((*bytes - 1) / kMebibyte)}}}};
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

Json request_for(const std::string& type, int64_t count) {
  return {{"deviceClassName", kGpuClass},
          {"allocationMode", "ExactCount"},
          {"count", count},
          {"selectors", {{{"cel", {{"expression", selector_of(type)}}}}}}};
}

/// A pod's claim of two GPUs is "kml-gpus-2", so that they can be counted without reading the claim. A second
/// claim of two GPUs, for another container, is "kml-gpus-2-1".
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

Json claim_spec(const std::string& type, int64_t gpus) {
  const std::vector<std::string> types = spec::alternative_types(type);
  Json request = {{"name", "gpus"}};
  if (types.size() == 1) {
    request["exactly"] = request_for(types[0], gpus);
  } else {
    constexpr size_t kLongestName = 60;  // of a DNS label's 63 characters
    std::set<std::string> names;         // the API server rejects a list with the same name twice
    for (const std::string& each : types) {
      Json choice = request_for(each, gpus);
      std::string name = api::to_dns_label(each, kLongestName);
      if (!names.insert(name).second) name += "-" + std::to_string(names.size());
      names.insert(name);
      choice["name"] = std::move(name);
      request["firstAvailable"].push_back(std::move(choice));
    }
  }
  return {{"devices", {{"requests", Json::array({std::move(request)})}}}};
}

bool is_chosen_by(const std::string& type, const Json& pod) {
  std::set<Json> wanted, found;
  for (const std::vector<Json>& choice : node_choices(type)) wanted.insert(choice.begin(), choice.end());
  for (const Json& term : array_at(pod, {"affinity", "nodeAffinity", kRequired, "nodeSelectorTerms"}))
    for (const Json& expression : array_at(term, {"matchExpressions"}))
      if (selects_gpus(expression)) found.insert(expression);
  return !wanted.empty() && found == wanted;
}

namespace {

Json* list_in(Json& object, std::initializer_list<std::string_view> path) {
  Json* list = const_cast<Json*>(find(object, path));
  return list && list->is_array() ? list : nullptr;
}

/// Removes the container's whole GPUs, and returns their number.
int64_t take_gpus(Json& container) {
  int64_t count = 0;
  for (const char* side : {"requests", "limits"}) {
    Json* amounts = const_cast<Json*>(find(container, {"resources", side}));
    if (!amounts || !amounts->is_object() || !amounts->contains(kWholeGpu)) continue;
    count = std::max(count, api::gpu_amounts_of(*amounts)[kWholeGpu] / api::kMilli);
    amounts->erase(kWholeGpu);
    if (amounts->empty()) container["resources"].erase(side);
  }
  return count;
}

/// Removes kml's claims from the list of a container or a pod, and returns how many GPUs they have.
int64_t take_claims(Json& claims) {
  int64_t gpus = 0;
  for (const Json& claim : claims)
    if (is_gpu_claim(claim)) gpus += std::atoll(api::entry_name(claim).c_str() + kGpuClaim.size());
  std::erase_if(claims.get_ref<Json::array_t&>(), is_gpu_claim);
  return gpus;
}

std::string new_claim_name(const Json& pod, int64_t count) {
  const std::string base = std::string(kGpuClaim) + std::to_string(count);
  const Json& claims = array_at(pod, {"resourceClaims"});
  const auto is_taken = [&](const std::string& name) {
    return std::any_of(claims.begin(), claims.end(),
                       [&](const Json& claim) { return api::entry_name(claim) == name; });
  };
  std::string name = base;
  for (int i = 1; is_taken(name); ++i) name = base + "-" + std::to_string(i);
  return name;
}

}  // namespace

bool claim_gpus(const std::string& type, const std::function<std::string(int64_t gpus)>& template_for,
                Json& pod) {
  Json* containers = list_in(pod, {"containers"});
  if (!containers) return false;
  bool is_used = false;
  for (Json& container : *containers) {
    const int64_t count = take_gpus(container);
    if (count == 0) continue;
    const std::string name = new_claim_name(pod, count);
    container["resources"]["claims"].push_back({{"name", name}});
    pod["resourceClaims"].push_back({{"name", name}, {"resourceClaimTemplateName", template_for(count)}});
    is_used = true;
  }
  const std::vector<std::vector<Json>> choices = node_choices(type);
  if (is_used)
    remove_expressions([&](const Json& expression) { return is_of_choice(expression, choices); }, pod);
  return is_used;
}

void release_gpus(const std::string& type, Json& pod) {
  Json* claims = list_in(pod, {"resourceClaims"});
  if (!claims || take_claims(*claims) == 0) return;
  if (claims->empty()) pod.erase("resourceClaims");
  Json* containers = list_in(pod, {"containers"});
  if (!containers) return;
  bool is_first = true;
  for (Json& container : *containers) {
    Json* used = list_in(container, {"resources", "claims"});
    const int64_t count = used ? take_claims(*used) : 0;
    if (count == 0) continue;
    if (used->empty()) container["resources"].erase("claims");
    if (is_first) overlay_gpus({type, static_cast<int>(count)}, pod, container);
    for (const char* side : {"requests", "limits"}) container["resources"][side][kWholeGpu] = count;
    is_first = false;
  }
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
