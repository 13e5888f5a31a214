#pragma once

#include "kml/base/json.h"
#include "kml/pipeline/engine/artifacts.h"
#include "kml/pipeline/store/store.h"

namespace kml::pipeline {

/// How an artifact was made, and from which inputs:
///
///     {"name": "iris-x7k2p/train.model", "kind": "model", "digest": SHA,
///      "made": {"run", "step", "job", "began", "ended", "command": [WORDS], "params": {}, "code": SHA,
///               "programs": {NAME: SHA}, "git": {"commit", "branch", "dirty"}},
///      "inputs": {NAME: an object of the same form}}
///
/// The outputs of a `foreach` are the inputs NAME-0, NAME-1 and so on. "made" may also have "packages",
/// "installs", "data" and "function". If an artifact occurs again, it has
/// "isAbove" instead of "made" and "inputs". Facts that are no longer known because a run was deleted are
/// left out.
Json lineage_of(const Artifact& artifact, const LocalStore& store);

/// The lineage of an artifact of a run in a cluster. Does not search for its inputs in the runs on this
/// machine, which may have the same names.
Json lineage_in(const RunState& run, const Artifact& artifact, const LocalStore& store);

/// Everything that this machine's runs made from the artifact (for a file or folder, from its content), in
/// the same form as lineage_of(), but with "uses" instead of "made" and "inputs": a list of {"run", "step",
/// "job", "ended", "git", "outputs": [objects of the same form]}.
Json uses_of(const Artifact& artifact);

}  // namespace kml::pipeline
