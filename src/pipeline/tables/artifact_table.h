#pragma once

#include <set>
#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/base/streams.h"
#include "kml/pipeline/engine/artifacts.h"

namespace kml::ui {

/// Prints a line for each artifact: its name, kind, size or value, number of files, digest and age, and
/// whether it is pinned or missing.
void print_artifacts(const Streams& streams, const std::vector<pipeline::Artifact>& artifacts,
                     const std::set<std::string>& pinned, Time now);

Json artifact_to_json(const pipeline::Artifact& artifact, bool is_pinned);

/// Prints the result of pipeline::lineage_of() or uses_of() as a tree. Below an artifact are its inputs or
/// its uses.
void print_lineage(const Streams& streams, const Json& lineage);

}  // namespace kml::ui
