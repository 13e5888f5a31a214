#include "kml/job/capacity/capacity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kml/base/text.h"
#include "kml/job/spec/gpu_types.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/pod_fit.h"
#include "kml/kube/objects/quantity.h"

namespace kml::job {

std::string amount_text(std::string_view resource, int64_t milli) {
  for (std::string_view prefix : {"requests.", "limits."})
    if (resource.starts_with(prefix)) resource.remove_prefix(prefix.size());
  const double amount = static_cast<double>(milli) / 1000;
  constexpr double kGib = 1024.0 * 1024 * 1024;
  if (resource == "memory" || resource == "ephemeral-storage" || resource == "storage" ||
      resource.starts_with("hugepages-"))
    return amount < 1000 * kGib ? fmt::format("{:.3g} GiB of {}", amount / kGib, resource)
                                : fmt::format("{:.0f} GiB of {}", amount / kGib, resource);
  const bool is_gpu = resource.ends_with("/gpu");
  const bool is_plural = resource == "pods" || resource.starts_with("count/");
  const std::string_view noun = is_gpu               ? "GPU"
                                : resource == "cpu"  ? "CPU"
                                : resource == "pods" ? "pod"
                                                     : resource;
  return fmt::format(
      "{:g} {}{}", amount, noun,
      milli == 1000 || (noun == resource && !is_plural) || resource.starts_with("count/") ? "" : "s");
}

std::string amount_number(std::string_view resource, int64_t milli) {
  const std::string text = amount_text(resource, milli);
  return text.substr(0, text.find(' '));
}

namespace {

constexpr std::string_view kProduct = "nvidia.com/gpu.product";
constexpr std::string_view kGke = "cloud.google.com/gke-accelerator";

bool holds(const std::vector<std::string_view>& values, const std::string& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

/// The most specific short name of the product: "a100-80gb", not "a100", which includes more products.
std::string short_name(const std::string& product) {
  const spec::GpuType* best = nullptr;
  for (const spec::GpuType& type : spec::gpu_types())
    if ((holds(type.products, product) || holds(type.gke, product)) &&
        (!best || type.products.size() < best->products.size()))
      best = &type;
  return best ? std::string(best->name) : product;
}

/// The short name that matches exactly these products in `--gpus NAME`. If no short name does, the short name
/// of the first product.
std::string short_name_of_any(const std::vector<std::string>& products) {
  for (const spec::GpuType& type : spec::gpu_types())
    if (std::equal(products.begin(), products.end(), type.products.begin(), type.products.end()))
      return std::string(type.name);
  return products.empty() ? "" : short_name(products[0]);
}

/// The MIG slice of a resource: "mig-1g.5gb" for "nvidia.com/mig-1g.5gb". Each kind of slice is a separate
/// GPU type.
std::string slice_of(std::string_view resource) {
  const size_t at = resource.find("/mig-");
  return at == std::string_view::npos ? "" : std::string(resource.substr(at + 1));
}

}  // namespace

std::string gpu_type_of_node(const Json& node, std::string_view resource) {
  if (std::string slice = slice_of(resource); !slice.empty()) return slice;
  for (std::string_view label : {kProduct, kGke})
    if (const std::string product = api::label_of(node, label); !product.empty()) return short_name(product);
  return resource.starts_with("nvidia.com/") ? "gpu" : std::string(resource);
}

std::string gpu_type_of_pod(const Json& pod_spec) {
  const api::Amounts gpus = api::gpu_requests(pod_spec);
  for (const auto& [name, amount] : gpus)
    if (std::string slice = slice_of(name); !slice.empty()) return slice;
  if (gpus.empty()) return {};
  for (std::string_view label : {kProduct, kGke})
    if (const std::string product = string_at(pod_spec, {"nodeSelector", label}); !product.empty())
      return short_name(product);
  for (const Json& term : api::node_terms_in(pod_spec))
    for (const Json& expression : api::requirements_in(term)) {
      const std::string key = api::key_of(expression);
      if ((key != kProduct && key != kGke) || api::operator_of(expression) != "In") continue;
      std::vector<std::string> products;
      for (const Json& value : api::values_in(expression))
        if (value.is_string()) products.push_back(value);
      return short_name_of_any(products);
    }
  return {};
}

std::string closed_because(const Json& node) {
  const api::Condition ready = api::condition(node, "Ready");
  if (ready && !ready.is_true()) return "not ready";
  return api::is_cordoned(node) ? "cordoned" : "";
}

std::vector<std::string> shown_taints(const Json& node) {
  std::vector<std::string> taints;
  for (const Json& taint : api::taints_of(node)) {
    // Leaves out taints that only repeat the node's state.
    if (!api::taint_key(taint).starts_with("node.kubernetes.io/")) taints.push_back(api::taint_text(taint));
  }
  return taints;
}

bool NodeGpus::is_reserved() const {
  return std::any_of(taints.begin(), taints.end(), [&](const std::string& taint) {
    const bool keeps_off = taint.ends_with(":NoSchedule") || taint.ends_with(":NoExecute");
    return keeps_off && !taint.starts_with("nvidia.com/gpu");
  });
}

GpuCount::GpuCount(std::span<const Json> nodes) {
  for (const Json& node : nodes)
    for (const auto& [resource, amount] : api::allocatable_of(node))
      if (api::is_gpu_resource(resource) && amount > 0)
        nodes_.push_back({.node = api::name_of(node),
                          .type = gpu_type_of_node(node, resource),
                          .resource = resource,
                          .total = amount / api::kMilli,
                          .closed = closed_because(node),
                          .taints = shown_taints(node)});
  std::stable_sort(nodes_.begin(), nodes_.end(),
                   [](const NodeGpus& a, const NodeGpus& b) { return natural_less(a.node, b.node); });
  for (size_t i = 0; i < nodes_.size(); ++i) of_node_[nodes_[i].node].push_back(i);
}

void GpuCount::add(const Json& pod, const std::string& holder) {
  const auto there = of_node_.find(api::node_of(pod));
  if (there == of_node_.end() || api::pod_has_ended(pod)) return;
  const api::Amounts requests = api::pod_requests(api::spec_of(pod));
  for (size_t i : there->second)
    if (const auto asked = requests.find(nodes_[i].resource); asked != requests.end()) {
      nodes_[i].used += asked->second / api::kMilli;
      nodes_[i].held_by[holder] += asked->second / api::kMilli;
    }
}

std::vector<Gang> largest_gangs(std::span<const NodeGpus> nodes) {
  int64_t largest = 0;
  for (const NodeGpus& node : nodes) largest = std::max(largest, node.total);
  std::vector<Gang> gangs;
  for (int64_t size = 1; size <= largest; size *= 2) {
    Gang gang{size, 0};
    for (const NodeGpus& node : nodes)
      if (!node.is_reserved()) gang.pods += node.free() / size;
    gangs.push_back(gang);
  }
  return gangs;
}

namespace {

/// The API's response. Null if the API is not available or not allowed, or if its server is down.
Json get_if_served(kube::Client& client, const std::string& path) {
  try {
    return parse_json(client.get_raw(path), path);
  } catch (const Error& error) {
    if (error.http_status == 404 || error.http_status == 403 || error.http_status == 503) return {};
    throw;
  }
}

double amount(const Json& quantity) {
  const std::string text = quantity.is_string() ? quantity.get<std::string>() : quantity.dump();
  return static_cast<double>(api::quantity_milli(text).value_or(0)) / api::kMilli;
}

}  // namespace

std::optional<api::ContainerUsage> recorded_usage(const Json& object) {
  std::optional<api::ContainerUsage> sum;
  for (const auto& [container, used] : api::usage_of(object)) {
    if (!sum) sum.emplace();
    // The containers run at the same time, so their peaks may coincide and are added.
    sum->cpu_seconds += used.cpu_seconds;
    sum->peak_process += used.peak_process;
    sum->peak_cgroup += used.peak_cgroup;
  }
  return sum;
}

PodUsage sum_of(const std::map<std::string, PodUsage>& usage, std::span<const Json* const> pods) {
  PodUsage sum;
  int measured = 0;
  for (const Json* pod : pods) {
    const auto found = usage.find(api::full_name_of(*pod));
    if (found == usage.end()) continue;
    if (found->second.cpus) sum.cpus = sum.cpus.value_or(0) + *found->second.cpus;
    if (found->second.memory) sum.memory = sum.memory.value_or(0) + *found->second.memory;
    if (found->second.gpu_percent) {
      sum.gpu_percent = sum.gpu_percent.value_or(0) + *found->second.gpu_percent;
      ++measured;
    }
  }
  if (measured > 0) *sum.gpu_percent /= measured;
  return sum;
}

std::map<std::string, PodUsage> read_usage(kube::Client& client, const std::string& namespace_name) {
  std::map<std::string, PodUsage> usage;
  const std::string place = namespace_name.empty() ? "" : "/namespaces/" + percent_encoded(namespace_name);
  const std::string of_pods = "/apis/metrics.k8s.io/v1beta1" + place + "/pods",
                    of_gpus =
                        "/apis/custom.metrics.k8s.io/v1beta1" + place + "/pods/%2A/DCGM_FI_DEV_GPU_UTIL";
  const auto ahead = client.ask_ahead(namespace_name.empty()
                                          ? std::vector<http::Request>{}
                                          : std::vector<http::Request>{{.path = of_pods}, {.path = of_gpus}});
  const Json pods = get_if_served(client, of_pods);
  for (const Json& pod : api::items_of(pods)) {
    PodUsage& of_pod = usage[api::full_name_of(pod)];
    of_pod.so_far = recorded_usage(pod);
    of_pod.cpus = 0;
    of_pod.memory = 0;
    for (const Json& container : api::containers_in(pod)) {
      if (const Json* cpu = find(container, {"usage", "cpu"})) *of_pod.cpus += amount(*cpu);
      if (const Json* memory = find(container, {"usage", "memory"}))
        *of_pod.memory += static_cast<int64_t>(amount(*memory));
    }
  }
  if (namespace_name.empty()) return usage;  // the metrics below can only be read in a single namespace
  const Json gpus = get_if_served(client, of_gpus);
  for (const Json& item : api::items_of(gpus))
    if (const Json* value = find(item, {"value"}))
      usage[string_at(item, {"describedObject", "namespace"}) + "/" +
            string_at(item, {"describedObject", "name"})]
          .gpu_percent = amount(*value);
  return usage;
}

}  // namespace kml::job
