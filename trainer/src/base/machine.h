#pragma once

#include <string>

namespace trainer {

/// Facts that affect the last bits of a result, besides the binary: the CPU's model, and the kernels that
/// OpenBLAS chose for it.
std::string machine_name();

}  // namespace trainer
