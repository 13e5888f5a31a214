#pragma once

#include <functional>
#include <string>

namespace trainer {

/// Where to compute; `automatic` is a question only.
enum class Device { cpu, cuda, automatic };

struct ChosenDevice {
  Device device = Device::cpu;
  std::string gpu;  ///< its name
};

/// Answers it for this build and machine, for one of a host's ranks, and tells `say` what `automatic` became.
/// Throws Error where the one that is asked for cannot be had.
ChosenDevice choose_device(Device asked, unsigned local_rank,
                           const std::function<void(const std::string&)>& say);

/// "cpu" or "cuda".
std::string device_name(Device device);

}  // namespace trainer
