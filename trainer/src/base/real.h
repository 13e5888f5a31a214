#pragma once

namespace trainer {

#ifndef KML_TRAINER_REAL
#define KML_TRAINER_REAL float
#endif

/// The type of all parameters, gradients and activations. Tests also build the program with double
/// (-DKML_TRAINER_REAL=double), where rounding no longer hides what the arithmetic does.
using Real = KML_TRAINER_REAL;

}  // namespace trainer
