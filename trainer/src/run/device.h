#pragma once

#include <functional>
#include <string>

namespace trainer {

/// Where to compute. `automatic` is only a request, never a result.
enum class Device { cpu, cuda, automatic };

struct ChosenDevice {
  Device device = Device::cpu;
  std::string gpu;          ///< name of the GPU
  size_t block_shared = 0;  ///< the largest shared memory of a block on it, in bytes
};

/// Chooses the device for one of a host's ranks, for this build and machine. Tells `say` the result for
/// `automatic`. Throws Error if the requested device is not available.
ChosenDevice choose_device(Device asked, unsigned local_rank,
                           const std::function<void(const std::string&)>& say);

/// "cpu" or "cuda".
std::string device_name(Device device);

}  // namespace trainer
