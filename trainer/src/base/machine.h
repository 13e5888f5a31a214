#pragma once

#include <string>

namespace trainer {

/// The facts, other than the program itself, that affect the last bits of a result: the CPU's model, and the
/// kernels that OpenBLAS chose for it.
std::string machine_name();

}  // namespace trainer
