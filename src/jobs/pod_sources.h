#pragma once

#include <string>
#include <vector>

#include "kml/core/json.h"

namespace kml::jobs {

/// One container's log.
struct PodSource {
  std::string pod;
  std::string container;
  std::string label;  ///< see LogLine::source
  bool has_started = false;
  bool has_ended = false;
};

/// The containers of a pod, or the one called `only`. Throws usage Error where there is none of that name.
std::vector<PodSource> pod_sources(const Json& pod, const Json& job, const std::string& only);

}  // namespace kml::jobs
