#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "job/commands/send.h"
#include "job/commands/submit_request.h"

namespace kml::cli {

/// The flags --input and --output of submit: artifacts that the job reads, and files made by the job that are
/// kept as artifacts.
struct ArtifactFlags {
  std::vector<std::string> inputs;   ///< NAME=RUN/STEP.OUTPUT or NAME=./FILE
  std::vector<std::string> outputs;  ///< NAME or NAME=PATH
  std::string store;                 ///< pvc/NAME

  bool are_any() const { return !inputs.empty() || !outputs.empty() || !store.empty(); }
};

/// Splits submit's option -o,--output FORMAT: -o is always the format; a value of --output that is not a
/// format is an artifact.
void add_output_flag(Command& command, std::vector<std::string>& outputs);

/// Submits the job as a run with a single step called "job". The run has the job's name, and an engine in the
/// background collects the artifacts. Returns the exit code. Throws usage Error if flags cannot be combined.
int submit_with_artifacts(Context& context, const SubmitFlags& flags, const ArtifactFlags& artifacts,
                          const SendOptions& options);

}  // namespace kml::cli
