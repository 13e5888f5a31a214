#include <algorithm>
#include <array>

#include "kml/api/object.h"
#include "kml/jobs/capacity/capacity.h"
#include "kml/spec/gpu_types.h"

namespace kml::jobs {

namespace {

constexpr std::string_view kProduct = "nvidia.com/gpu.product";
constexpr std::string_view kGke = "cloud.google.com/gke-accelerator";

bool holds(const std::vector<std::string_view>& values, const std::string& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

/// The short name that says most: "a100-80gb" rather than "a100", which has more products.
std::string short_name(const std::string& product) {
  const spec::GpuType* best = nullptr;
  for (const spec::GpuType& type : spec::gpu_types())
    if ((holds(type.products, product) || holds(type.gke, product)) &&
        (!best || type.products.size() < best->products.size()))
      best = &type;
  return best ? std::string(best->name) : product;
}

/// The short name of exactly these products, as `--gpus a100` asks for them; else of the first.
std::string short_name_of_any(const std::vector<std::string>& products) {
  for (const spec::GpuType& type : spec::gpu_types())
    if (std::equal(products.begin(), products.end(), type.products.begin(), type.products.end()))
      return std::string(type.name);
  return products.empty() ? "" : short_name(products[0]);
}

/// "mig-1g.5gb" of "nvidia.com/mig-1g.5gb": it is a type by itself.
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
  bool asks = false;
  for (const Json& container : array_at(pod_spec, {"containers"}))
    for (const auto& [name, amount] : object_at(container, {"resources", "limits"}).items()) {
      if (std::string slice = slice_of(name); !slice.empty()) return slice;
      asks = asks || api::is_gpu_resource(name);
    }
  if (!asks) return {};
  for (std::string_view label : {kProduct, kGke})
    if (const std::string product = string_at(pod_spec, {"nodeSelector", label}); !product.empty())
      return short_name(product);
  for (const Json& term :
       array_at(pod_spec, {"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution",
                           "nodeSelectorTerms"}))
    for (const Json& expression : array_at(term, {"matchExpressions"})) {
      const std::string key = string_at(expression, {"key"});
      if ((key != kProduct && key != kGke) || string_at(expression, {"operator"}) != "In") continue;
      std::vector<std::string> products;
      for (const Json& value : array_at(expression, {"values"}))
        if (value.is_string()) products.push_back(value);
      return short_name_of_any(products);
    }
  return {};
}

}  // namespace kml::jobs
