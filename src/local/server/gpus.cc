#include "local/server/gpus.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <string_view>
#include <system_error>

#include "kml/base/error.h"
#include "kml/base/process.h"
#include "kml/base/shared_library.h"
#include "kml/base/text.h"
#include "kml/kube/objects/names.h"

namespace kml::local {

int64_t least_memory_in(const std::string& lines) {
  int64_t least = 0;
  for (const std::string& line : split(lines, '\n'))
    if (const auto mebibytes = whole_number(trim(line)); mebibytes && *mebibytes > 0)
      least = least == 0 ? *mebibytes : std::min<int64_t>(least, *mebibytes);
  return least;
}

namespace {

// These types have the layout of those in nvml.h, in which nvmlReturn_t is an int, and 0 means success.
struct NvmlMemory {
  unsigned long long total, free, used;
};
using NvmlDevice = void*;

/// A line with a number of MiB for each GPU; empty without nvidia-smi.
std::string memory_by_nvidia_smi() {
  constexpr std::chrono::seconds kLimit{2};
  return run_process({"nvidia-smi", "--query-gpu=memory.total", "--format=csv,noheader,nounits"},
                     {.time_limit = kLimit})
      .out;
}

/// The product of all GPUs; empty if they differ.
std::string only_one(const std::set<std::string>& products) {
  return products.size() == 1 ? *products.begin() : "";
}

/// The value of the line "Model: NVIDIA H100 80GB HBM3" in a file of the driver.
std::string model_in(const std::filesystem::path& file) {
  constexpr std::string_view kModel = "Model:";
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with(kModel)) return std::string(trim(std::string_view(line).substr(kModel.size())));
  return {};
}

/// The driver has a folder for each GPU. In a container, NVIDIA's runtime only shows the GPUs of that
/// container. The driver has no file with the memory.
MachineGpus gpus_of_driver() {
  std::error_code error;
  MachineGpus gpus;
  std::set<std::string> products;
  for (const auto& folder : std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", error)) {
    ++gpus.count;
    products.insert(model_in(folder.path() / "information"));
  }
  gpus.product = only_one(products);
  if (gpus.count > 0) gpus.mebibytes = least_memory_in(memory_by_nvidia_smi());
  return gpus;
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
  gpus.product = only_one(products);
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
    return gpus_of_driver();
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
