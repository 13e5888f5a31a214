#pragma once

#include "step/options.h"

namespace kml::step {

/// Creates the folder that an output will be written to. Removes the output of an earlier attempt.
void prepare(const OutputPlace& output);

/// Whether this pod must report the outputs, because it is the first pod of the step.
bool is_first(const Options& options);

/// Reports the command's outputs. Packs values and, with `sends_trees`, files and folders, and writes them to
/// standard output. Otherwise, copies files and folders to the bucket, or leaves them in their places.
/// Describes what it has written in the termination message. Exits with a message if an output is missing or
/// too large.
void report(const Options& options);

}  // namespace kml::step
