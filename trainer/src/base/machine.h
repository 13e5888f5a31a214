#pragma once

#include <string>

namespace trainer {

/// What the last bits of a result depend on besides the binary: the CPU's model and the kernels that OpenBLAS
/// chose.
std::string machine_name();

}  // namespace trainer
