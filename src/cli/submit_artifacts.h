#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/send.h"
#include "cli/submit_request.h"

namespace kml::cli {

/// What a job reads of earlier runs, and what is kept of what it makes: --input and --output of submit.
struct ArtifactFlags {
  std::vector<std::string> inputs;   ///< NAME=RUN/STEP.OUTPUT, or NAME=./FILE
  std::vector<std::string> outputs;  ///< NAME, or NAME=PATH
  std::string store;                 ///< pvc/NAME

  bool are_any() const { return !inputs.empty() || !outputs.empty() || !store.empty(); }
};

/// Splits submit's -o,--output FORMAT in two: -o keeps the format, and what is none after --output is an
/// artifact.
void add_output_flag(Command& command, std::vector<std::string>& outputs);

/// Submits the job as a run of one step, "job", whose name is the job's: an engine in the background takes
/// over what it makes. Returns the exit code. Throws Error (usage) for flags that do not go together.
int submit_with_artifacts(Context& context, const SubmitFlags& flags, const ArtifactFlags& artifacts,
                          const SendOptions& options);

}  // namespace kml::cli
