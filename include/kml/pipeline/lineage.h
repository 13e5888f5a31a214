#pragma once

#include "kml/core/json.h"
#include "kml/pipeline/artifacts.h"
#include "kml/pipeline/store.h"

namespace kml::pipeline {

/// Where an artifact comes from:
///
///     {"name": "iris-x7k2p/train.model", "kind": "model", "digest": SHA,
///      "made": {"run", "step", "job", "began", "ended", "command": [WORDS], "params": {}, "code": SHA,
///               "programs": {NAME: SHA}},
///      "inputs": {NAME: the same again}}
///
/// An artifact that stands in it already has no "made" and "inputs" the second time, but "isAbove". What is
/// not known any more, as its run was deleted, is left out.
Json lineage_of(const Artifact& artifact, const LocalStore& store);

/// What was made from the artifact's content, in all runs of this machine, in the same form; instead of
/// "made" and "inputs" there is "uses": a list of {"run", "step", "job", "ended", "outputs": [the same
/// again]}.
Json uses_of(const Artifact& artifact);

}  // namespace kml::pipeline
