#pragma once

#include "step/options.h"

namespace kml::step {

/// Creates the folder that an output will be written to. Removes the output of an earlier attempt.
void prepare(const OutputPlace& output);

/// Whether this pod must report the outputs, because it is the first pod of the step.
bool is_first(const Options& options);

/// Packs the command's outputs. Writes them to standard output (with a bucket, copies files and folders
/// there), and describes them in the termination message. Exits with a message if an output is missing or too
/// large.
void report(const Options& options);

}  // namespace kml::step
