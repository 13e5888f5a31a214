#include "local/server/gpus.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <limits>
#include <set>
#include <system_error>

#include "kml/base/error.h"
#include "kml/base/shared_library.h"
#include "kml/kube/objects/names.h"

namespace kml::local {

namespace {

// These types have the layout of those in nvml.h, in which nvmlReturn_t is an int, and 0 means success.
struct NvmlMemory {
  unsigned long long total, free, used;
};
using NvmlDevice = void*;

/// The driver has a folder for each GPU. In a container, NVIDIA's runtime only shows the GPUs of that
/// container.
int64_t count_driver_folders() {
  std::error_code error;
  const std::filesystem::directory_iterator gpus("/proc/driver/nvidia/gpus", error);
  return error ? 0 : std::distance(begin(gpus), end(gpus));
}

/// Adds the product and the memory of all GPUs, as far as NVML knows them.
void describe_gpus(const SharedLibrary& nvml, MachineGpus& gpus) {
  constexpr unsigned kLongestName = 96;  // NVML_DEVICE_NAME_V2_BUFFER_SIZE
  auto* const device_at = nvml.function<int(unsigned, NvmlDevice*)>("nvmlDeviceGetHandleByIndex_v2");
  auto* const name_of = nvml.function<int(NvmlDevice, char*, unsigned)>("nvmlDeviceGetName");
  auto* const memory_of = nvml.function<int(NvmlDevice, NvmlMemory*)>("nvmlDeviceGetMemoryInfo");
  std::set<std::string> products;
  unsigned long long least = std::numeric_limits<unsigned long long>::max();
  for (unsigned i = 0; i < gpus.count; ++i) {
    NvmlDevice device = nullptr;
    std::array<char, kLongestName + 1> name{};
    NvmlMemory memory{};
    if (device_at(i, &device) != 0) return;
    if (name_of(device, name.data(), kLongestName) != 0 || memory_of(device, &memory) != 0) return;
    products.insert(name.data());
    least = std::min(least, memory.total);
  }
  constexpr unsigned long long kMebibyte = 1 << 20;
  if (products.size() == 1) gpus.product = *products.begin();
  gpus.mebibytes = static_cast<int64_t>(least / kMebibyte);
}

}  // namespace

MachineGpus gpus_of_machine() {
  try {
    const SharedLibrary nvml("libnvidia-ml.so.1", "the NVIDIA driver");
    unsigned count = 0;
    if (nvml.function<int()>("nvmlInit_v2")() != 0) return {};
    MachineGpus gpus;
    if (nvml.function<int(unsigned*)>("nvmlDeviceGetCount_v2")(&count) == 0) gpus.count = count;
    if (count > 0) describe_gpus(nvml, gpus);
    nvml.function<int()>("nvmlShutdown")();
    return gpus;
  } catch (const Error&) {  // a static kml cannot load libraries
    return {.count = count_driver_folders(), .product = {}, .mebibytes = 0};
  }
}

std::vector<std::string> labels_of_gpus(const MachineGpus& gpus) {
  std::vector<std::string> labels;
  if (gpus.count == 0) return labels;
  std::string product = gpus.product;
  std::replace(product.begin(), product.end(), ' ', '-');
  if (!product.empty() && api::label_value_problem(product).empty())
    labels.push_back("nvidia.com/gpu.product=" + product);
  if (gpus.mebibytes > 0) labels.push_back("nvidia.com/gpu.memory=" + std::to_string(gpus.mebibytes));
  return labels;
}

}  // namespace kml::local
