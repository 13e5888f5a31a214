#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace trainer {

/// The current use of a GPU.
struct GpuUsage {
  unsigned busy_percent = 0;  ///< how much of the last sample period (1/6 s to 1 s) a kernel was running
  uint64_t memory_used = 0, memory_total = 0;  ///< bytes
};

/// Reads a GPU's usage from NVIDIA's management library, which comes with the driver and is loaded when first
/// needed. Without it, the usage is unknown. For the functions, see NVML API reference, "Device queries".
class GpuMonitor {
 public:
  /// `bus_id` identifies the GPU as cudaDeviceGetPCIBusId does; "" means no GPU.
  explicit GpuMonitor(const std::string& bus_id, const char* library = "libnvidia-ml.so.1");
  ~GpuMonitor();

  std::optional<GpuUsage> read() const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace trainer
