#pragma once

#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/pipeline/engine/run_state.h"
#include "kml/pipeline/language/artifact_name.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::pipeline {

/// An output that a step of a run made, or that the run reused from an earlier run.
struct Artifact {
  ArtifactName name;
  OutputKind kind = OutputKind::artifact;
  Json made;             ///< for a file or folder: {"digest", "path", "bytes", "files"}; otherwise {"value"}
  std::string maker;     ///< the run that made the artifact
  Time time = {};        ///< when the run made or reused the artifact
  bool is_there = true;  ///< false if the file or folder was removed from its path on this machine
};

/// Throws usage Error if the artifact's files were removed, or are on a volume of a cluster.
void require_readable(const Artifact& artifact);

/// Whether a file or folder can be read: from its path on this machine, from a bucket, or on a volume. True
/// for metrics and values.
bool is_there(OutputKind kind, const Json& made);

/// All artifacts of a run, in the order of its steps. Throws Error if the run's pipeline cannot be read.
std::vector<Artifact> artifacts_of(const RunState& run);

/// The artifact of a run, or a pinned artifact of a deleted run. Throws usage Error if the artifact does not
/// exist.
Artifact find_artifact(const std::string& name);

}  // namespace kml::pipeline
