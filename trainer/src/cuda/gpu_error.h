#pragma once

#include <cuda_runtime.h>

#include "base/error.h"

namespace trainer::cuda {

/// The Error for a call that failed with `status`; `what` describes the action. Its exit status tells a
/// cluster whether to start the program again: 1 if the same call would fail again, otherwise 134.
Error gpu_error(cudaError_t status, const char* what);

}  // namespace trainer::cuda
