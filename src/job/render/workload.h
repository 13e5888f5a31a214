#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/render/template.h"

namespace kml::render {

/// The paths of the fields that common flags set in a kind of workload. The syntax is that of
/// spec::parse_path; an empty path means that the kind does not have the field.
struct Workload {
  std::string metadata;  ///< metadata of the object that a queue admits
  std::string retries;
  std::vector<std::string> time_limits;  ///< all of them are set, because each job of a JobSet has its own
  std::string ttl;
  std::string suspend;
  std::string tasks;  ///< the spec of a batch/v1 Job, which can be indexed
};

/// Empty for kinds that kml does not know.
std::optional<Workload> workload_of(const Json& object);

/// The pods of a manifest of a known kind.
std::vector<PodGroup> pod_groups_of(const Json& object);

}  // namespace kml::render
