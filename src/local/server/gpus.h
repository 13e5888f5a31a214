#pragma once

#include <cstdint>

namespace kml::local {

/// The number of NVIDIA GPUs of this machine, as NVML counts them; 0 where there is no driver.
int64_t count_gpus();

}  // namespace kml::local
