#include "run/gpu_usage.h"

#include <dlfcn.h>

namespace trainer {

struct GpuMonitor::Library {
  // Declarations from nvml.h, whose binary interface is stable.
  using NvmlDevice = struct nvmlDevice_st*;
  struct Utilization {
    unsigned gpu, memory;
  };
  struct Memory {
    unsigned long long total, free, used;
  };

  explicit Library(const char* name) : handle(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {}
  ~Library() {
    if (shut_down) shut_down();
    if (handle) dlclose(handle);
  }
  Library(const Library&) = delete;

  template <typename Function>
  bool find(Function*& function, const char* name) {
    function = handle ? reinterpret_cast<Function*>(dlsym(handle, name)) : nullptr;
    return function != nullptr;
  }

  bool open(const std::string& bus_id) {
    int (*init)() = nullptr;
    int (*by_bus_id)(const char*, NvmlDevice*) = nullptr;
    int (*end)() = nullptr;
    if (!find(init, "nvmlInit_v2") || !find(end, "nvmlShutdown") ||
        !find(by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2") ||
        !find(utilization, "nvmlDeviceGetUtilizationRates") || !find(memory, "nvmlDeviceGetMemoryInfo") ||
        init() != 0) {
      return false;
    }
    shut_down = end;
    return by_bus_id(bus_id.c_str(), &device) == 0;
  }

  void* handle;
  NvmlDevice device = nullptr;
  int (*shut_down)() = nullptr;
  int (*utilization)(NvmlDevice, Utilization*) = nullptr;
  int (*memory)(NvmlDevice, Memory*) = nullptr;
};

GpuMonitor::GpuMonitor(const std::string& bus_id, const char* library) {
  if (bus_id.empty()) return;
  auto opened = std::make_unique<Library>(library);
  if (opened->open(bus_id)) library_ = std::move(opened);
}

GpuMonitor::~GpuMonitor() = default;

std::optional<GpuUsage> GpuMonitor::read() const {
  Library::Utilization utilization{};
  Library::Memory memory{};
  if (!library_ || library_->utilization(library_->device, &utilization) != 0 ||
      library_->memory(library_->device, &memory) != 0) {
    return std::nullopt;
  }
  return GpuUsage{utilization.gpu, memory.used, memory.total};
}

}  // namespace trainer
