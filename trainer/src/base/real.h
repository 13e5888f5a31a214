#pragma once

namespace trainer {

#ifndef KML_TRAINER_REAL
#define KML_TRAINER_REAL float
#endif

/// The type of all parameters, gradients and activations. Tests also build the program with double
/// (-DKML_TRAINER_REAL=double), so that rounding errors do not hide mistakes in the arithmetic.
using Real = KML_TRAINER_REAL;

}  // namespace trainer
