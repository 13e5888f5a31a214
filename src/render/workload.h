#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/core/json.h"
#include "kml/render/template.h"

namespace kml::render {

/// Where a kind of workload keeps what the common flags set. Paths are as in spec::parse_path; an empty one
/// means that the kind has no such field.
struct Workload {
  std::string metadata;  ///< of what a queue admits
  std::string retries;
  std::vector<std::string> time_limits;  ///< each gets it: a JobSet's jobs have their own
  std::string ttl;
  std::string suspend;
  std::string tasks;  ///< the spec of a batch/v1 Job, which can be indexed
};

/// Empty for kinds that kml knows nothing of.
std::optional<Workload> workload_of(const Json& object);

/// The pods of a manifest of a known kind.
std::vector<PodGroup> pod_groups_of(const Json& object);

}  // namespace kml::render
