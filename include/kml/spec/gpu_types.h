#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kml::spec {

/// A short name for a GPU, and how nodes that have it are labelled.
struct GpuType {
  std::string_view name;                   ///< "a100"
  std::vector<std::string_view> products;  ///< values of the label nvidia.com/gpu.product
  std::vector<std::string_view> gke;       ///< values of the label cloud.google.com/gke-accelerator
};

/// A label matches only as a whole, so each short name lists the products that it stands for: those
/// that NVIDIA's GPU feature discovery and GKE's node pools are known to set.
std::span<const GpuType> gpu_types();

/// nullptr if the name is none of these.
const GpuType* find_gpu_type(std::string_view name);

/// The resource that `--gpus TYPE:N` asks for: "nvidia.com/gpu" of a product, "nvidia.com/mig-1g.5gb" of a
/// slice, a resource as it is.
std::string gpu_resource(std::string_view type);

/// What is wrong with TYPE of `--gpus TYPE:N`; empty if it can be used.
std::string gpu_type_problem(std::string_view type);

}  // namespace kml::spec
