#pragma once

#include <cuda_runtime.h>

#include "base/error.h"

namespace trainer::cuda {

/// The failure of a call that ended with `status`; `what` describes what was tried. Its exit status tells a
/// cluster whether to start the program again: 1 if the same call would fail again, otherwise 134.
Error gpu_error(cudaError_t status, const char* what);

}  // namespace trainer::cuda
