#pragma once

#include "step/options.h"

namespace kml::step {

/// Creates the folder in which an output will be written, and removes the output of an earlier try.
void prepare(const OutputPlace& output);

/// Whether this pod reports the outputs: it is the first pod of the step.
bool is_first(const Options& options);

/// Packs the outputs of the command. Writes them to standard output, and their description into the
/// termination message. Exits with a message if an output is missing or too large.
void report(const Options& options);

}  // namespace kml::step
