#include "cuda/gpu_error.h"

#include <string>

namespace trainer::cuda {

namespace {

constexpr int kRetry = 128 + 6;  ///< the exit status of abort(), which Kubeflow's ExitCode policy retries

/// Whether the program recorded a graph in a way that CUDA does not allow.
bool is_of_capture(cudaError_t status) {
  return status >= cudaErrorStreamCaptureUnsupported && status <= cudaErrorCapturedEvent;
}

/// Whether the program requested an operation that this GPU, or any GPU, cannot perform. Described in
/// https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html
bool fails_again(cudaError_t status) {
  switch (status) {
    case cudaErrorInvalidValue:
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidPtx:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchOutOfResources:
    case cudaErrorMisalignedAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorCooperativeLaunchTooLarge: return true;
    default: return is_of_capture(status);
  }
}

}  // namespace

Error gpu_error(cudaError_t status, const char* what) {
  const std::string failed = std::string("the GPU failed to ") + what, why = cudaGetErrorString(status);
  if (status == cudaErrorMemoryAllocation) {
    return {failed, why, "lower --batch-size, or check which other processes use this GPU (nvidia-smi)"};
  }
  if (fails_again(status)) {
    return {failed, why, "pass --device=cpu, and report the flags and the GPU as an error of kml-trainer"};
  }
  return {failed, why, "check the node's log for errors of the GPU (dmesg: NVRM, Xid)", kRetry};
}

}  // namespace trainer::cuda
