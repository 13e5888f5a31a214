#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/render/template.h"

namespace kml::render {

/// Where a kind of workload has the fields that common flags set. Paths have the syntax of spec::parse_path;
/// an empty path means that the kind lacks the field.
struct Workload {
  std::string metadata;  ///< the metadata of the object that a queue admits
  std::string retries;
  /// kml sets all of these fields, because each job in a JobSet has its own limit
  std::vector<std::string> time_limits;
  std::string ttl;
  std::string suspend;
  std::string tasks;  ///< the spec of a batch/v1 Job, which can be indexed
  /// for Volcano's own kinds: the paths of the fields with the name of the queue
  std::vector<std::string> volcano_queues = {};
  /// for Volcano's own kinds: the path of the class that gives the whole job its priority
  std::string volcano_priority = {};
  std::string queue = {};  ///< the path of the queue's name, if it is not Kueue's label in `metadata`
  bool retries_are_attempts = false;  ///< whether the kind's number of retries includes the first attempt
};

/// Empty if kml does not know the kind.
std::optional<Workload> workload_of(const Json& object);

/// The pods in a manifest of a known kind.
std::vector<PodGroup> pod_groups_of(const Json& object);

}  // namespace kml::render
