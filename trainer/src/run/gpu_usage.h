#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace trainer {

/// What a GPU was doing just now.
struct GpuUsage {
  unsigned busy_percent = 0;  ///< of the last sample period (a sixth of a second to a second): a kernel ran
  uint64_t memory_used = 0, memory_total = 0;  ///< bytes
};

/// Asks NVIDIA's management library, which is loaded when first needed: it comes with the driver, and where
/// there is none nothing is told. Functions: NVML API reference, "Device queries".
class GpuMonitor {
 public:
  /// `bus_id`: of the GPU, as cudaDeviceGetPCIBusId gives it; "" is none.
  explicit GpuMonitor(const std::string& bus_id, const char* library = "libnvidia-ml.so.1");
  ~GpuMonitor();

  std::optional<GpuUsage> read() const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace trainer
