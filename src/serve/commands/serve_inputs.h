#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "job/commands/submit_request.h"

namespace kml::cli {

/// Replaces ${in.NAME} in the command with the path of the artifact in `inputs` (NAME=RUN/STEP.OUTPUT), or of
/// the file (NAME=./FILE). Pins artifacts on this machine, so that `kml gc` keeps them; on a cluster, adds a
/// mount of the volume that has the artifact. Throws usage Error if the pods would not have the files, and
/// for an input that is unknown or not used.
void give_inputs(Context& context, const std::vector<std::string>& inputs, SubmitFlags& flags);

/// The valid inputs, for people: "model=RUN/train.model@DIGEST data=/path".
std::string inputs_in_words(const std::vector<std::string>& inputs);

}  // namespace kml::cli
