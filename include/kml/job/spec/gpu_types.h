#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kml::spec {

/// A short name for a GPU, and the labels on nodes that have this GPU.
struct GpuType {
  std::string_view name;                   ///< "a100"
  std::vector<std::string_view> products;  ///< values of the label nvidia.com/gpu.product
  std::vector<std::string_view> gke;       ///< values of the label cloud.google.com/gke-accelerator
  /// the memory of the first product in MiB, as in the label nvidia.com/gpu.memory
  int mebibytes;
};

/// Each short name lists its products, because labels only match exactly. These are the values that NVIDIA's
/// GPU feature discovery and GKE's node pools are known to set.
std::span<const GpuType> gpu_types();

/// The alternatives in "h100|a100", the best first. A single type is the only alternative.
std::vector<std::string> alternative_types(std::string_view type);
/// The bytes of memory that ">=40Gi" demands of each GPU; empty for any other type.
std::optional<int64_t> least_memory(std::string_view type);
/// Whether the type leaves a choice between GPUs: it has alternatives, or demands memory.
bool is_choice(std::string_view type);
/// A note for a command that makes no claims for the pods with this choice.
std::string note_on_unclaimed_choice(std::string_view type);

/// nullptr if the name is unknown.
const GpuType* find_gpu_type(std::string_view name);

/// Whether the type is a resource, such as "amd.com/gpu". No label of a node selects it.
bool is_resource(std::string_view type);

/// The resource that `--gpus TYPE:N` requests: "nvidia.com/gpu" for a product, "nvidia.com/mig-1g.5gb" for a
/// slice, or the given resource.
std::string gpu_resource(std::string_view type);

/// The labels "key=value" of a node with GPUs of this type, which is not a choice: the product, and the
/// memory if it is known. Empty if any GPU is suitable, and for resources and slices.
std::vector<std::string> labels_of_gpu_node(std::string_view type);

/// The fault in the TYPE of `--gpus TYPE:N`; empty if it is valid.
std::string gpu_type_problem(std::string_view type);

}  // namespace kml::spec
