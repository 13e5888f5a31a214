#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/spec/submit_spec.h"

namespace kml::render {

/// The DeviceClass of NVIDIA's driver for dynamic resource allocation, and the domain of its attributes.
inline constexpr std::string_view kGpuClass = "gpu.nvidia.com";

/// For each alternative of the type, the expressions that select its nodes; any one of them is enough. Empty
/// if the type needs no such expressions.
std::vector<std::vector<Json>> node_choices(const std::string& type);

/// Removes from a PodSpec's node affinity what selects nodes by the types or the memory of their GPUs.
void forget_gpu_types(Json& pod);

/// The spec of a ResourceClaim for these GPUs: the alternatives as a prioritized list.
Json claim_spec(const spec::Gpus& gpus);

/// Makes a PodSpec claim the GPUs of `--gpus` by this template, instead of selecting nodes that have such
/// GPUs. A pod that uses no GPUs gets no claim.
void claim_gpus(const spec::Gpus& gpus, const std::string& template_name, Json& pod);
/// Whether claim_gpus() has made this entry of a PodSpec's `resourceClaims`.
bool is_gpu_claim(const Json& claim);
/// How many GPUs the scheduler reserves for a PodSpec, including those that claim_gpus() has claimed.
int64_t gpus_of_pod(const Json& pod_spec);
/// How many GPUs each node of a TrainJob has, from the job's `trainer`.
int64_t gpus_of_trainer(const Json& trainer);

}  // namespace kml::render
