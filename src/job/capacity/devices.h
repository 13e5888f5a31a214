#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/capacity/capacity.h"
#include "kml/kube/client/client.h"

namespace kml::job {

extern const api::ResourceKind kResourceSlices, kResourceClaims;  ///< of resource.k8s.io/v1

/// A device that a driver publishes on a node in a ResourceSlice.
struct Device {
  std::string node, driver, pool, name;
  std::string
      product;  ///< the product, as in the node label nvidia.com/gpu.product; empty if the driver names none
  int64_t memory = 0;  ///< bytes; 0 if unknown
  /// taints that keep pods off the device: "dra/unhealthy=xid:NoSchedule"
  std::vector<std::string> taints = {};
  const Json* claim = nullptr;  ///< the ResourceClaim that has the device; null if it is free

  /// The type for `--gpus`: "h100"; without a product, the driver.
  std::string type() const;
};

/// The annotation of a job with the choice of GPUs in its `--gpus`: "h100|a100:8".
inline constexpr std::string_view kGpuChoice = "kml.dev/gpus";

/// The types in the job's choice of GPUs: "h100|a100", or ">=40Gi"; empty if it has no choice.
std::string chosen_gpu_type(const Json& job);

/// The type of GPU that the job asks for, as in `--gpus`: its choice, or else the type that its pods select.
/// Empty if any type is suitable.
std::string asked_gpu_type(const Json& job);

/// The devices of the newest generation of each pool. The claims must outlive them.
std::vector<Device> devices_of(std::span<const Json> slices, std::span<const Json> claims);

/// The type of the GPUs of each node, from its labels and ResourceSlices. Leaves out nodes whose type is
/// unknown, and those with several types.
std::map<std::string, std::string> gpu_types_of_nodes(std::span<const Json> nodes,
                                                      std::span<const Json> slices);

/// The full names of the pods that use the claim.
std::vector<std::string> users_of_claim(const Json& claim);

/// Adds the GPUs among these devices to a table of nodes. `holders` are the holders of pods, by the pods'
/// full names.
void add_devices(std::span<const Device> devices, std::span<const Json> nodes,
                 const std::map<std::string, std::string>& holders, std::vector<NodeGpus>& table);

}  // namespace kml::job
