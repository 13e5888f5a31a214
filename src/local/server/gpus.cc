#include "local/server/gpus.h"

#include "kml/core/error.h"
#include "kml/core/shared_library.h"

namespace kml::local {

int64_t count_gpus() {
  try {
    // nvml.h: nvmlReturn_t is an int, 0 is success.
    const SharedLibrary nvml("libnvidia-ml.so.1", "the NVIDIA driver");
    unsigned count = 0;
    if (nvml.function<int()>("nvmlInit_v2")() != 0) return 0;
    const bool counted = nvml.function<int(unsigned*)>("nvmlDeviceGetCount_v2")(&count) == 0;
    nvml.function<int()>("nvmlShutdown")();
    return counted ? count : 0;
  } catch (const Error&) {
    return 0;
  }
}

}  // namespace kml::local
