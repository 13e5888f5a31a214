#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kml/pipeline/engine/artifacts.h"
#include "kml/pipeline/store/store.h"

namespace kml::pipeline {

/// Pins the artifact: it is kept until it is unpinned, whatever its age. Throws usage Error if its files no
/// longer exist, or are on a volume of a cluster.
void pin(const LocalStore& store, const Artifact& artifact);

/// Removes a pin and returns its record, which has "name", "path", "digest" and "store". Empty if the
/// artifact was not pinned. "store" is empty if the files are only on this machine.
std::optional<Json> unpin(const LocalStore& store, const ArtifactName& name);

/// All pinned artifacts as they were when they were pinned, their names, and the paths of their files.
struct Pins {
  std::vector<Artifact> artifacts;
  std::set<std::string> names, paths;
};
Pins pins_of(const LocalStore& store);

}  // namespace kml::pipeline
