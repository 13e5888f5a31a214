#include "kml/job/spec/gpu_types.h"

#include <algorithm>
#include <set>

#include "kml/base/text.h"
#include "kml/kube/objects/names.h"
#include "kml/kube/objects/quantity.h"

namespace kml::spec {

std::span<const GpuType> gpu_types() {
  static const std::vector<GpuType> kTypes = {
      {"a10", {"NVIDIA-A10", "NVIDIA-A10G"}, {}, 23028},
      {"a100",
       {"NVIDIA-A100-SXM4-40GB", "NVIDIA-A100-SXM4-80GB", "NVIDIA-A100-PCIE-40GB", "NVIDIA-A100-80GB-PCIe",
        "A100-SXM4-40GB", "A100-SXM4-80GB", "A100-PCIE-40GB"},
       {"nvidia-tesla-a100", "nvidia-a100-80gb"},
       40960},
      {"a100-40gb",
       {"NVIDIA-A100-SXM4-40GB", "NVIDIA-A100-PCIE-40GB", "A100-SXM4-40GB", "A100-PCIE-40GB"},
       {"nvidia-tesla-a100"},
       40960},
      {"a100-80gb",
       {"NVIDIA-A100-SXM4-80GB", "NVIDIA-A100-80GB-PCIe", "A100-SXM4-80GB"},
       {"nvidia-a100-80gb"},
       81920},
      {"b200", {"NVIDIA-B200"}, {"nvidia-b200"}, 183359},
      {"h100",
       {"NVIDIA-H100-80GB-HBM3", "NVIDIA-H100-PCIe", "NVIDIA-H100-NVL"},
       {"nvidia-h100-80gb", "nvidia-h100-mega-80gb"},
       81559},
      {"h200", {"NVIDIA-H200", "NVIDIA-H200-NVL"}, {"nvidia-h200-141gb"}, 143771},
      {"l4", {"NVIDIA-L4"}, {"nvidia-l4"}, 23034},
      {"l40s", {"NVIDIA-L40S"}, {}, 46068},
      {"t4", {"Tesla-T4", "NVIDIA-T4"}, {"nvidia-tesla-t4"}, 15360},
      {"v100",
       {"Tesla-V100-SXM2-16GB", "Tesla-V100-SXM2-32GB", "Tesla-V100-SXM3-32GB", "Tesla-V100-PCIE-16GB",
        "Tesla-V100-PCIE-32GB"},
       {"nvidia-tesla-v100"},
       16384},
  };
  return kTypes;
}

const GpuType* find_gpu_type(std::string_view name) {
  for (const GpuType& type : gpu_types())
    if (type.name == name) return &type;
  return nullptr;
}

std::vector<std::string> alternative_types(std::string_view type) {
  return split(std::string(type), '|');
}

std::optional<int64_t> least_memory(std::string_view type) {
  constexpr std::string_view kAtLeast = ">=";
  if (!type.starts_with(kAtLeast)) return {};
  return api::quantity_units(std::string(type.substr(kAtLeast.size())));
}

bool is_choice(std::string_view type) {
  return type.find('|') != std::string_view::npos || type.starts_with(">=");
}

std::string note_on_unclaimed_choice(std::string_view type) {
  return "--gpus " + std::string(type) +
         " selects nodes by their labels: only `kml submit`, `kml rerun` and `kml dev` claim GPUs";
}

bool is_resource(std::string_view type) {
  return type.find('/') != std::string_view::npos;
}

std::string gpu_resource(std::string_view type) {
  if (is_resource(type)) return std::string(type);
  return "nvidia.com/" + (type.starts_with("mig-") ? std::string(type) : "gpu");
}

std::vector<std::string> labels_of_gpu_node(std::string_view type) {
  if (type.empty() || is_resource(type) || gpu_resource(type) != gpu_resource("")) return {};
  const GpuType* known = find_gpu_type(type);
  std::vector<std::string> labels = {"nvidia.com/gpu.product=" +
                                     std::string(known ? known->products[0] : type)};
  if (known) labels.push_back("nvidia.com/gpu.memory=" + std::to_string(known->mebibytes));
  return labels;
}

namespace {

/// The fault in an alternative: only whole GPUs of NVIDIA have products and memory to choose by.
std::string alternative_problem(const std::string& type) {
  constexpr int64_t kLeast = int64_t{1} << 20, kMost = int64_t{1} << 50;
  if (type.starts_with(">=")) {
    const auto bytes = least_memory(type);
    if (!bytes || *bytes < kLeast) return "\"" + type + "\" is not an amount of memory, as in >=40Gi";
    return *bytes > kMost ? "\"" + type + "\" is more memory than any GPU has" : "";
  }
  if (type.empty()) return "a GPU type is missing before or after \"|\"";
  if (type.starts_with("mig-") || is_resource(type))
    return "\"" + type + "\" cannot be one of several types: name whole GPUs, as in h100|a100";
  return gpu_type_problem(type);
}

}  // namespace

std::string gpu_type_problem(std::string_view type) {
  if (type.empty() || find_gpu_type(type)) return {};
  if (is_choice(type)) {
    constexpr size_t kMost = 8;  // FirstAvailableDeviceRequestMaxSize in k8s.io/api/resource/v1
    const std::vector<std::string> types = alternative_types(type);
    if (types.size() > kMost) return "more than 8 GPU types";
    std::set<std::string> seen;
    for (const std::string& each : types) {
      if (std::string problem = alternative_problem(each); !problem.empty()) return problem;
      if (!seen.insert(each).second) return "\"" + each + "\" is given twice";
    }
    return {};
  }
  if (is_resource(type) || type.starts_with("mig-")) {
    std::string problem = api::label_key_problem(type);
    return problem.empty() ? "" : "resource \"" + std::string(type) + "\" " + problem;
  }
  if (std::string problem = api::label_value_problem(type); !problem.empty())
    return "product \"" + std::string(type) + "\" " + problem;
  // Names of products contain capital letters, so a name without any must be an unknown short name.
  if (std::any_of(type.begin(), type.end(), [](char c) { return c >= 'A' && c <= 'Z'; })) return {};
  std::vector<std::string> names;
  for (const GpuType& known : gpu_types()) names.emplace_back(known.name);
  std::string guess = did_you_mean(type, names);
  return "unknown GPU type \"" + std::string(type) + "\"; " + (guess.empty() ? "" : guess + " ") +
         "known types: " + join(names, ", ") +
         ", mig-…, a product name as in the node label nvidia.com/gpu.product, or a resource name";
}

}  // namespace kml::spec
