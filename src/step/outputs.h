#pragma once

#include "step/options.h"

namespace kml::step {

/// Makes the folder that an output is to be written in, and removes what an earlier try left in its place.
void prepare(const OutputPlace& output);

/// Whether it is this pod of the step's that reports: the first of them.
bool is_first(const Options& options);

/// Packs what the command has made, and writes it to standard output and into the termination message. Gives
/// up if an output is missing, or too large.
void report(const Options& options);

}  // namespace kml::step
