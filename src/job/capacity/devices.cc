#include "job/capacity/devices.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "kml/base/text.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod_fit.h"
#include "kml/kube/objects/quantity.h"

namespace kml::job {

const api::ResourceKind kResourceSlices{
    "resource.k8s.io", "v1", "ResourceSlice", "resourceslices", "resourceslice", "", false};
const api::ResourceKind kResourceClaims{
    "resource.k8s.io", "v1", "ResourceClaim", "resourceclaims", "resourceclaim", "", true};

namespace {

/// An attribute or capacity, whose name may begin with its driver's domain.
const Json* entry_of(const Json& device, const char* part, const std::string& driver,
                     const std::string& name) {
  const Json& map = object_at(device, {part});
  const Json* found = find(map, {name});
  return found ? found : find(map, {driver + "/" + name});
}

std::string product_of(const Json& device, const std::string& driver) {
  const Json* attribute = entry_of(device, "attributes", driver, "productName");
  std::string product = attribute ? string_at(*attribute, {"string"}) : "";
  std::replace(product.begin(), product.end(), ' ', '-');
  return product;
}

int64_t memory_of(const Json& device, const std::string& driver) {
  const Json* capacity = entry_of(device, "capacity", driver, "memory");
  return capacity ? api::quantity_units(string_at(*capacity, {"value"})).value_or(0) : 0;
}

using Place = std::tuple<std::string, std::string, std::string>;  // driver, pool and device

std::map<Place, const Json*> allocated_by(std::span<const Json> claims) {
  std::map<Place, const Json*> places;
  for (const Json& claim : claims)
    for (const Json& result : array_at(claim, {"status", "allocation", "devices", "results"}))
      places[{string_at(result, {"driver"}), string_at(result, {"pool"}), string_at(result, {"device"})}] =
          &claim;
  return places;
}

}  // namespace

std::string chosen_gpu_type(const Json& job) {
  const std::string choice = api::annotation_of(job, kGpuChoice);
  return choice.substr(0, choice.rfind(':'));
}

std::string asked_gpu_type(const Json& job) {
  std::string type = chosen_gpu_type(job);
  each_pod_template(job, [&](const Json& pod, int) {
    if (type.empty()) type = gpu_type_of_pod(api::spec_of(pod));
  });
  return type;
}

std::string Device::type() const {
  if (product.empty()) return driver;
  const Json labeled = {{"metadata", {{"labels", {{"nvidia.com/gpu.product", product}}}}}};
  return gpu_type_of_node(labeled, "nvidia.com/gpu");
}

std::vector<Device> devices_of(std::span<const Json> slices, std::span<const Json> claims) {
  std::map<std::pair<std::string, std::string>, int64_t> newest;
  const auto pool_of = [](const Json& slice) {
    return std::pair(string_at(slice, {"spec", "driver"}), string_at(slice, {"spec", "pool", "name"}));
  };
  for (const Json& slice : slices) {
    int64_t& generation = newest[pool_of(slice)];
    generation = std::max<int64_t>(generation, int_at(slice, {"spec", "pool", "generation"}));
  }
  const std::map<Place, const Json*> allocated = allocated_by(claims);
  std::vector<Device> devices;
  for (const Json& slice : slices) {
    const auto pool = pool_of(slice);
    if (int_at(slice, {"spec", "pool", "generation"}) != newest[pool]) continue;
    for (const Json& each : array_at(slice, {"spec", "devices"})) {
      Device device{string_at(slice, {"spec", "nodeName"}),
                    pool.first,
                    pool.second,
                    api::entry_name(each),
                    product_of(each, pool.first),
                    memory_of(each, pool.first)};
      for (const Json& taint : array_at(each, {"taints"}))
        if (api::keeps_pods_off(taint)) device.taints.push_back(api::taint_text(taint));
      const auto found = allocated.find({pool.first, pool.second, device.name});
      if (found != allocated.end()) device.claim = found->second;
      devices.push_back(std::move(device));
    }
  }
  return devices;
}

std::map<std::string, std::string> gpu_types_of_nodes(std::span<const Json> nodes,
                                                      std::span<const Json> slices) {
  std::map<std::string, std::set<std::string>> found;
  for (const Json& node : nodes)
    for (const auto& [resource, amount] : api::allocatable_of(node))
      if (api::is_gpu_resource(resource) && amount > 0)
        found[api::name_of(node)].insert(gpu_type_of_node(node, resource));
  for (const Device& device : devices_of(slices, {}))
    if (device.driver.starts_with("gpu.")) found[device.node].insert(device.type());
  std::map<std::string, std::string> types;
  for (const auto& [node, of_node] : found)
    // the type "gpu" means that the product is unknown
    if (of_node.size() == 1 && !of_node.contains("gpu")) types[node] = *of_node.begin();
  return types;
}

std::vector<std::string> users_of_claim(const Json& claim) {
  std::vector<std::string> users;
  for (const Json& user : array_at(claim, {"status", "reservedFor"}))
    if (string_at(user, {"resource"}) == "pods")
      users.push_back(api::namespace_of(claim) + "/" + api::entry_name(user));
  return users;
}

void add_devices(std::span<const Device> devices, std::span<const Json> nodes,
                 const std::map<std::string, std::string>& holders, std::vector<NodeGpus>& table) {
  std::map<std::pair<std::string, std::string>, NodeGpus> by_type;
  for (const Device& device : devices) {
    if (!device.driver.starts_with("gpu.") || device.node.empty()) continue;
    NodeGpus& entry = by_type[{device.node, device.type()}];
    entry.node = device.node;
    entry.type = device.type();
    entry.resource = device.driver;
    ++entry.total;
    if (!device.claim) {
      if (!device.taints.empty()) {  // nothing can be placed on the device
        ++entry.used;
        entry.held_by["tainted: " + join(device.taints, ", ")] += 1;
      }
      continue;
    }
    ++entry.used;
    const std::vector<std::string> users = users_of_claim(*device.claim);
    const auto holder = users.empty() ? holders.end() : holders.find(users[0]);
    entry.held_by[holder != holders.end() ? holder->second : "claim " + api::name_of(*device.claim)] += 1;
  }
  for (auto& of_type : by_type) {
    NodeGpus& entry = of_type.second;
    const auto node = std::find_if(nodes.begin(), nodes.end(),
                                   [&](const Json& each) { return api::name_of(each) == entry.node; });
    if (node != nodes.end()) {
      entry.closed = closed_because(*node);
      entry.taints = shown_taints(*node);
    }
    table.push_back(std::move(entry));
  }
  std::stable_sort(table.begin(), table.end(),
                   [](const NodeGpus& a, const NodeGpus& b) { return natural_less(a.node, b.node); });
}

}  // namespace kml::job
