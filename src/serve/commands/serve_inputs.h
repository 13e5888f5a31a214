#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "job/commands/submit_request.h"

namespace kml::cli {

/// In the command, replaces ${in.NAME} by the path of an input: of an artifact (NAME=RUN/STEP.OUTPUT) or a
/// file (NAME=./FILE). Pins artifacts on this machine, so that `kml gc` keeps them. On a cluster, mounts the
/// volume with the artifact. Throws usage Error if the pods could not read the files, or if an input is
/// unknown or not used.
void give_inputs(Context& context, const std::vector<std::string>& inputs, SubmitFlags& flags);

/// The inputs in words: "model=RUN/train.model@DIGEST data=/path".
std::string inputs_in_words(const std::vector<std::string>& inputs);

}  // namespace kml::cli
