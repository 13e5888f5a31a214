#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/core/clock.h"
#include "kml/core/json.h"
#include "kml/pipeline/pipeline.h"
#include "kml/pipeline/run_state.h"

namespace kml::pipeline {

/// "iris-x7k2p/train.model": an output of a step of a run. "words" is what `kml artifact put words=FILE`
/// made: a run of that name, whose step "put" has the output "words".
struct ArtifactName {
  std::string run, step, output;

  std::string text() const { return is_put() ? run : run + "/" + step + "." + output; }
  bool is_put() const { return step == kPutStep && output == run; }

  static constexpr std::string_view kPutStep = "put";
};

/// Throws usage Error if the text is not such a name.
ArtifactName parse_artifact_name(const std::string& text);

/// What a step of a run has made, or took over from an earlier run.
struct Artifact {
  ArtifactName name;
  OutputKind kind = OutputKind::file;
  Json made;             ///< {"digest", "path", "bytes", "files"} of a file or folder, else {"value"}
  std::string maker;     ///< the run that made it
  Time time = {};        ///< at which the run had it
  bool is_there = true;  ///< a file or folder: something is at its path, or in its store
};

/// All of a run, in the order of its steps. Throws Error if the run's pipeline cannot be read.
std::vector<Artifact> artifacts_of(const RunState& run);

/// Throws usage Error if there is none of that name, with the nearest one.
Artifact find_artifact(const std::string& name);

}  // namespace kml::pipeline
