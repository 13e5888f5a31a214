#pragma once

#include <functional>
#include <string>

namespace trainer {

/// The device that computes. `automatic` is only a request, never a result.
enum class Device { cpu, cuda, automatic };

struct ChosenDevice {
  Device device = Device::cpu;
  std::string gpu;          ///< name of the GPU
  size_t block_shared = 0;  ///< the largest shared memory that a block on it can have, in bytes
};

/// Chooses the device for one of a host's ranks, for this build and machine. If `automatic` was requested and
/// no GPU is usable, passes the reason to `say`. Throws Error if the requested device is not available.
ChosenDevice choose_device(Device asked, unsigned local_rank,
                           const std::function<void(const std::string&)>& say);

/// The device's name: "cpu" or "cuda".
std::string device_name(Device device);

}  // namespace trainer
