#include <cuda_runtime.h>
#include <unistd.h>

#include <string>

#include "cuda/backend.h"
#include "cuda/peak.h"

namespace trainer::cuda {

namespace {

constexpr int kLeastMajor = 8;  ///< the lowest compute capability for which the kernels are compiled

std::string release(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 100 / 10);
}

}  // namespace

Gpu choose_gpu(unsigned local_rank) {
  int count = 0, driver = 0, runtime = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  if (driver == 0) {
    return {"", "this machine has no NVIDIA driver",
            "run it on a machine with a GPU (kml submit --gpus 1), or pass --device=cpu or auto"};
  }
  // A driver runs programs of all minor versions of its CUDA
  // (https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html).
  if (driver / 1000 < runtime / 1000) {
    return {"",
            "this machine's driver is for CUDA " + release(driver) + ", but this kml-trainer needs " +
                release(runtime),
            "update the driver, or build kml-trainer with an older nvcc"};
  }
  if (status != cudaSuccess || count == 0) {
    return {"", std::string("no usable GPU: ") + cudaGetErrorString(status),
            "request one (kml submit --gpus 1), and check CUDA_VISIBLE_DEVICES and nvidia-smi; or pass "
            "--device=cpu or auto"};
  }
  const int device = static_cast<int>(local_rank) % count;
  cudaDeviceProp properties;
  if (const cudaError_t found = cudaGetDeviceProperties(&properties, device); found != cudaSuccess) {
    return {"", std::string("the GPU does not respond: ") + cudaGetErrorString(found), "check nvidia-smi"};
  }
  const std::string name = properties.name;
  if (properties.major < kLeastMajor) {
    return {"",
            name + " has compute capability " + std::to_string(properties.major) + "." +
                std::to_string(properties.minor) + ", but kml-trainer needs 8.0",
            "use an A100, an H100 or a later GPU, or pass --device=cpu"};
  }
  if (const cudaError_t set = cudaSetDevice(device); set != cudaSuccess) {
    return {"", "cannot use " + name + ": " + cudaGetErrorString(set),
            "check whether another process uses it exclusively"};
  }
  return {name, "", "", properties.sharedMemPerBlockOptin};
}

std::string gpu_address() {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  return std::string(host) + " " + gpu_bus_id();
}

}  // namespace trainer::cuda
