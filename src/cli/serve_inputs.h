#pragma once

#include <string>
#include <vector>

#include "cli/context.h"

namespace kml::cli {

/// Replaces ${in.NAME} in the words with the path of the artifact that `inputs` names (NAME=RUN/STEP.OUTPUT),
/// or of the file (NAME=./FILE). Pins the artifacts, so that `kml gc` keeps them. Throws usage
/// Error on a cluster, whose pods do not have these files, and for an input that is unknown or not used.
void give_inputs(Context& context, const std::vector<std::string>& inputs, std::vector<std::string>& words);

}  // namespace kml::cli
