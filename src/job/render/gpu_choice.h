#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"

namespace kml::render {

/// The DeviceClass of NVIDIA's driver for dynamic resource allocation, and the domain of its attributes.
inline constexpr std::string_view kGpuClass = "gpu.nvidia.com";

/// For each alternative of the type, the expressions that select its nodes; any one of them is enough. Empty
/// if the type needs no such expressions.
std::vector<std::vector<Json>> node_choices(const std::string& type);

/// Removes from a PodSpec's node affinity what selects nodes by the types or the memory of their GPUs.
void forget_gpu_types(Json& pod);

/// The spec of a ResourceClaim for that many GPUs of the type: its alternatives as a prioritized list.
Json claim_spec(const std::string& type, int64_t gpus);

/// Whether a PodSpec's node affinity selects GPUs by this type, which is a choice, and by nothing else. If
/// not, the manifest was edited.
bool is_chosen_by(const std::string& type, const Json& pod);

/// Makes each container of a PodSpec claim its GPUs by a ResourceClaimTemplate, instead of selecting nodes
/// that have GPUs of the type. `template_for` returns the name of a template for that many GPUs. Returns
/// whether any container uses GPUs.
bool claim_gpus(const std::string& type, const std::function<std::string(int64_t gpus)>& template_for,
                Json& pod);
/// Undoes claim_gpus(): the pod again selects nodes that have GPUs of the type.
void release_gpus(const std::string& type, Json& pod);
/// Whether claim_gpus() has made this entry of a PodSpec's `resourceClaims`.
bool is_gpu_claim(const Json& claim);
/// How many GPUs the scheduler reserves for a PodSpec, including those that claim_gpus() has claimed.
int64_t gpus_of_pod(const Json& pod_spec);
/// How many GPUs each node of a TrainJob has, from the job's `trainer`.
int64_t gpus_of_trainer(const Json& trainer);

}  // namespace kml::render
